import { notFound } from '@weir/kit/errors';
import { isId, newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import { parseChange } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type {
  RevokeDeveloperKeyRequest,
  RevokeDeveloperKeyResponse,
  RotateDeveloperKeyRequest,
  RotateDeveloperKeyResponse,
} from '@weir/proto/access';
import { decideSlot } from '../domain/rotation.js';
import { lockDeveloperKey, revokeDeveloperKey as revokeKey, selectDeveloperKey } from '../store/developer-keys.js';
import { insertSecret, revokeSecrets } from '../store/secrets.js';
import { toDeveloperKey } from './messages.js';

/** Adds a second live secret to a key. */
export async function rotateDeveloperKey(
  pool: Pool,
  request: RotateDeveloperKeyRequest,
): Promise<RotateDeveloperKeyResponse> {
  const actor = parseChange(request);
  const id = request.keyId;
  if (!isId(id)) throw notFound('key');
  const { plaintext, secretSha256, hint } = createKey('developer', id);
  const key = await pool.transaction(async (tx) => {
    if ((await lockDeveloperKey.maybe(tx, { id, actor })) === undefined) throw notFound('key');
    const record = await selectDeveloperKey.one(tx, { id });
    const slot = decideSlot(record, nowUs());
    const secret = { secretId: newId(), secretSha256, hint, developerKeyId: id, slot, actor };
    return { ...record, secrets: [...record.secrets, await insertSecret.one(tx, secret)] };
  });
  return { key: toDeveloperKey(key), plaintext };
}

/** Revokes one secret of a key, or the key for good. Again is the same. */
export async function revokeDeveloperKey(
  pool: Pool,
  request: RevokeDeveloperKeyRequest,
): Promise<RevokeDeveloperKeyResponse> {
  const actor = parseChange(request);
  const id = request.keyId;
  if (!isId(id)) throw notFound('key');
  const secretId = request.secretId === '' ? null : request.secretId;
  if (secretId !== null && !isId(secretId)) throw notFound('secret of the key');
  const key = await pool.transaction(async (tx) => {
    const locked = await (secretId === null ? revokeKey : lockDeveloperKey).maybe(tx, { id, actor });
    if (locked === undefined) throw notFound('key');
    await revokeSecrets.run(tx, { developerKeyId: id, secretId, actor });
    const record = await selectDeveloperKey.one(tx, { id });
    if (secretId !== null && !record.secrets.some((secret) => secret.id === secretId))
      throw notFound('secret of the key');
    return record;
  });
  return { key: toDeveloperKey(key) };
}
