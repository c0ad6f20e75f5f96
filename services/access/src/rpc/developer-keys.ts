import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import { cutPage, parsePage } from '@weir/kit/pages';
import { fromProjectId, parseActor, parseName } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type {
  CreateDeveloperKeyRequest,
  CreateDeveloperKeyResponse,
  ListDeveloperKeysRequest,
  ListDeveloperKeysResponse,
} from '@weir/proto/access';
import { parseExpiry, parsePermissions } from '../domain/parse-terms.js';
import { insertDeveloperKey, selectDeveloperKeys } from '../store/developer-keys.js';
import { selectProjectId } from '../store/projects.js';
import { toDeveloperKey } from './messages.js';

/** Creates a Developer API key with its first secret. Its name is unique among active keys of the project. */
export async function createDeveloperKey(
  db: Db,
  request: CreateDeveloperKeyRequest,
): Promise<CreateDeveloperKeyResponse> {
  const faults = new Faults();
  const name = parseName(request.name, '/name', faults);
  const permissions = parsePermissions(request.permissions, faults);
  const expiresAtUs = parseExpiry(request.expiresAtUs, nowUs(), faults);
  const actor = parseActor(request.actor, '/actor', faults);
  faults.throwIfAny();
  const projectId = fromProjectId(request.projectId);
  const id = newId();
  const { plaintext, secretSha256, hint } = createKey('developer', id);
  const secretId = newId();
  const key = { id, projectId, name, permissions, expiresAtUs };
  const { createdAtUs } = await insertDeveloperKey.one(db, { ...key, secretId, secretSha256, hint, actor });
  const secrets = [{ id: secretId, slot: 1, hint, createdAtUs }];
  return { key: toDeveloperKey({ ...key, createdAtUs, secrets }), plaintext };
}

/** Lists the keys of a project, revoked ones too, in order of creation. */
export async function listDeveloperKeys(db: Db, request: ListDeveloperKeysRequest): Promise<ListDeveloperKeysResponse> {
  const page = parsePage(request);
  const projectId = fromProjectId(request.projectId);
  const read = await selectDeveloperKeys.all(db, { ...page, projectId });
  const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
  if (records.length === 0 && (await selectProjectId.maybe(db, { id: projectId })) === undefined)
    throw notFound('project');
  return { keys: records.map(toDeveloperKey), nextAfter };
}
