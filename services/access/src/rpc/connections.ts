import { notFound } from '@weir/kit/errors';
import { isId, newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import type { Db, Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type {
  CreateConnectionRequest,
  CreateConnectionResponse,
  ListConnectionsRequest,
  ListConnectionsResponse,
  UpdateConnectionRequest,
  UpdateConnectionResponse,
} from '@weir/proto/access';
import { Faults } from '../domain/faults.js';
import {
  insertConnection,
  selectConnection,
  selectConnections,
  updateConnection as storeChange,
} from '../store/connections.js';
import { selectProjectId } from '../store/projects.js';
import { toConnection } from './messages.js';
import { readPage, toPage } from './page.js';

/** Creates an enabled connection with the first secret of its key. Its name is unique within the project. */
export async function createConnection(db: Db, request: CreateConnectionRequest): Promise<CreateConnectionResponse> {
  const faults = new Faults();
  const name = faults.name(request.name);
  const provisioning = faults.provisioning(request.provisioning);
  const expiresAtUs = faults.expiry(request.expiresAtUs, nowUs());
  const actor = faults.actor(request.actor);
  faults.end();
  const { projectId } = request;
  if (!isId(projectId)) throw notFound('project');
  const id = newId();
  const { plaintext, secretSha256, hint } = createKey('ingestion', id);
  const secretId = newId();
  const connection = { id, projectId, name, provisioning, expiresAtUs };
  const { createdAtUs } = await insertConnection.one(db, { ...connection, secretId, secretSha256, hint, actor });
  const secrets = [{ id: secretId, slot: 1, hint, createdAtUs }];
  return { connection: toConnection({ ...connection, enabled: true, createdAtUs, secrets }), plaintext };
}

/** Lists the connections of a project in order of creation. */
export async function listConnections(db: Db, request: ListConnectionsRequest): Promise<ListConnectionsResponse> {
  const page = readPage(request);
  const { projectId } = request;
  if (!isId(projectId)) throw notFound('project');
  const { rows, nextAfter } = toPage(await selectConnections.all(db, { ...page, projectId }), page);
  if (rows.length === 0 && (await selectProjectId.maybe(db, { id: projectId })) === undefined)
    throw notFound('project');
  return { connections: rows.map(toConnection), nextAfter };
}

/** Changes name, provisioning or whether a connection is enabled; what is not named stays. */
export async function updateConnection(
  pool: Pool,
  request: UpdateConnectionRequest,
): Promise<UpdateConnectionResponse> {
  const faults = new Faults();
  const name = request.name === undefined ? undefined : faults.name(request.name);
  const provisioning = request.provisioning === undefined ? undefined : faults.provisioning(request.provisioning);
  const { enabled } = request;
  if (name === undefined && provisioning === undefined && enabled === undefined)
    faults.refuse('nothing_to_change', 'Name what is to change: name, provisioning or enabled.');
  const actor = faults.actor(request.actor);
  faults.end();
  const id = request.connectionId;
  if (!isId(id)) throw notFound('connection');
  return await pool.transaction(async (tx) => {
    const changed = await storeChange.maybe(tx, { id, actor, name, provisioning, enabled });
    if (changed === undefined) throw notFound('connection');
    return { connection: toConnection(await selectConnection.one(tx, { id })) };
  });
}
