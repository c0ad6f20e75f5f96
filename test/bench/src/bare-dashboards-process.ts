/** Serves lists of dashboards from the database, in a process of its own, with grpc-js and pg as they are. */
import { promisify } from 'node:util';
import { type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { tuneCollections } from '@weir/kit/garbage';
import { type ListDashboardsRequest, ListDashboardsResponse } from '@weir/proto/dashboards';
import pg from 'pg';
import { listDashboards, selectDashboards } from './bare-dashboards.js';

// as in the processes of Weir
tuneCollections();
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });

async function answer({ projectId, limit }: ListDashboardsRequest): Promise<ListDashboardsResponse> {
  const rows = await selectDashboards(pool, projectId, limit);
  return ListDashboardsResponse.fromPartial({
    dashboards: rows.map((row) => ({
      id: row.id,
      projectId: row.project_id,
      name: row.name,
      description: row.description,
      revision: row.revision,
      widgetCount: row.widget_count,
      createdAtUs: row.created_at.getTime() * 1000,
      updatedAtUs: row.updated_at.getTime() * 1000,
    })),
  });
}

const list: handleUnaryCall<ListDashboardsRequest, ListDashboardsResponse> = (call, respond) => {
  answer(call.request).then(
    (response) => respond(null, response),
    (error: Error) => respond(error),
  );
};
const server = new Server();
server.addService({ list: listDashboards }, { list });
const port = await promisify(server.bindAsync).call(server, '127.0.0.1:0', ServerCredentials.createInsecure());
process.send?.(`127.0.0.1:${port}`);
process.once('disconnect', () => process.exit());
