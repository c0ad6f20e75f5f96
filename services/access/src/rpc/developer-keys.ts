import { notFound } from '@weir/kit/errors';
import { isId, newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import type { Db } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type {
  CreateDeveloperKeyRequest,
  CreateDeveloperKeyResponse,
  ListDeveloperKeysRequest,
  ListDeveloperKeysResponse,
} from '@weir/proto/access';
import { Faults } from '../domain/faults.js';
import { insertDeveloperKey, selectDeveloperKeys } from '../store/developer-keys.js';
import { selectProjectId } from '../store/projects.js';
import { toDeveloperKey } from './messages.js';
import { readPage, toPage } from './page.js';

/** Creates a Developer API key with its first secret. Its name is unique among active keys of the project. */
export async function createDeveloperKey(
  db: Db,
  request: CreateDeveloperKeyRequest,
): Promise<CreateDeveloperKeyResponse> {
  const faults = new Faults();
  const name = faults.name(request.name);
  const permissions = faults.permissions(request.permissions);
  const expiresAtUs = faults.expiry(request.expiresAtUs, nowUs());
  const actor = faults.actor(request.actor);
  faults.end();
  const { projectId } = request;
  if (!isId(projectId)) throw notFound('project');
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
  const page = readPage(request);
  const { projectId } = request;
  if (!isId(projectId)) throw notFound('project');
  const { rows, nextAfter } = toPage(await selectDeveloperKeys.all(db, { ...page, projectId }), page);
  if (rows.length === 0 && (await selectProjectId.maybe(db, { id: projectId })) === undefined)
    throw notFound('project');
  return { keys: rows.map(toDeveloperKey), nextAfter };
}
