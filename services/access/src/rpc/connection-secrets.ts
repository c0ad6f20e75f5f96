import { notFound } from '@weir/kit/errors';
import { isId, newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import { parseChange } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type {
  RevokeConnectionKeyRequest,
  RevokeConnectionKeyResponse,
  RotateConnectionKeyRequest,
  RotateConnectionKeyResponse,
} from '@weir/proto/access';
import { decideSlot } from '../domain/rotation.js';
import { selectConnection, updateConnection } from '../store/connections.js';
import { insertSecret, revokeSecrets } from '../store/secrets.js';
import { toConnection } from './messages.js';

/** Adds a second live secret to the key of a connection. */
export async function rotateConnectionKey(
  pool: Pool,
  request: RotateConnectionKeyRequest,
): Promise<RotateConnectionKeyResponse> {
  const actor = parseChange(request);
  const id = request.connectionId;
  if (!isId(id)) throw notFound('connection');
  const { plaintext, secretSha256, hint } = createKey('ingestion', id);
  const connection = await pool.transaction(async (tx) => {
    if ((await updateConnection.maybe(tx, { id, actor })) === undefined) throw notFound('connection');
    const record = await selectConnection.one(tx, { id });
    const slot = decideSlot(record, nowUs());
    const secret = { secretId: newId(), secretSha256, hint, connectionId: id, slot, actor };
    return { ...record, secrets: [...record.secrets, await insertSecret.one(tx, secret)] };
  });
  return { connection: toConnection(connection), plaintext };
}

/** Revokes one secret of a connection, or all that are live. Again is the same. */
export async function revokeConnectionKey(
  pool: Pool,
  request: RevokeConnectionKeyRequest,
): Promise<RevokeConnectionKeyResponse> {
  const actor = parseChange(request);
  const id = request.connectionId;
  if (!isId(id)) throw notFound('connection');
  const secretId = request.secretId === '' ? null : request.secretId;
  if (secretId !== null && !isId(secretId)) throw notFound('secret of the connection');
  const connection = await pool.transaction(async (tx) => {
    if ((await updateConnection.maybe(tx, { id, actor })) === undefined) throw notFound('connection');
    await revokeSecrets.run(tx, { connectionId: id, secretId, actor });
    const record = await selectConnection.one(tx, { id });
    if (secretId !== null && !record.secrets.some((secret) => secret.id === secretId))
      throw notFound('secret of the connection');
    return record;
  });
  return { connection: toConnection(connection) };
}
