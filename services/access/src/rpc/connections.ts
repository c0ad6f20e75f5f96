import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { isId, newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import { cutPage, parsePage } from '@weir/kit/pages';
import { fromProjectId, parseActor, parseName } from '@weir/kit/records';
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
import { parseExpiry, parseProvisioning } from '../domain/parse-terms.js';
import {
  insertConnection,
  selectConnection,
  selectConnections,
  updateConnection as storeChange,
} from '../store/connections.js';
import { selectProjectId } from '../store/projects.js';
import { toConnection } from './messages.js';

/** Creates an enabled connection with the first secret of its key. Its name is unique within the project. */
export async function createConnection(db: Db, request: CreateConnectionRequest): Promise<CreateConnectionResponse> {
  const faults = new Faults();
  const name = parseName(request.name, '/name', faults);
  const provisioning = parseProvisioning(request.provisioning, faults);
  const expiresAtUs = parseExpiry(request.expiresAtUs, nowUs(), faults);
  const actor = parseActor(request.actor, '/actor', faults);
  faults.throwIfAny();
  const projectId = fromProjectId(request.projectId);
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
  const page = parsePage(request);
  const projectId = fromProjectId(request.projectId);
  const read = await selectConnections.all(db, { ...page, projectId });
  const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
  if (records.length === 0 && (await selectProjectId.maybe(db, { id: projectId })) === undefined)
    throw notFound('project');
  return { connections: records.map(toConnection), nextAfter };
}

/** Changes name, provisioning or whether a connection is enabled; what is not named stays. */
export async function updateConnection(
  pool: Pool,
  request: UpdateConnectionRequest,
): Promise<UpdateConnectionResponse> {
  const faults = new Faults();
  const name = request.name === undefined ? undefined : parseName(request.name, '/name', faults);
  const provisioning = request.provisioning === undefined ? undefined : parseProvisioning(request.provisioning, faults);
  const { enabled } = request;
  if (name === undefined && provisioning === undefined && enabled === undefined)
    faults.add('', 'nothing_to_change', 'Name what is to change: name, provisioning or enabled.');
  const actor = parseActor(request.actor, '/actor', faults);
  faults.throwIfAny();
  const id = request.connectionId;
  if (!isId(id)) throw notFound('connection');
  return await pool.transaction(async (tx) => {
    const changed = await storeChange.maybe(tx, { id, actor, name, provisioning, enabled });
    if (changed === undefined) throw notFound('connection');
    return { connection: toConnection(await selectConnection.one(tx, { id })) };
  });
}
