import { Client, credentials, type MethodDefinition } from '@grpc/grpc-js';
import { ListDashboardsRequest, ListDashboardsResponse } from '@weir/proto/dashboards';
import type pg from 'pg';

/** What is passed on of a row of `dashboards.dashboards`, as pg gives it. */
interface DashboardRow {
  readonly id: string;
  readonly project_id: string;
  readonly name: string;
  readonly description: string;
  readonly widget_count: number;
  readonly revision: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The statement of the dashboards service for the first page of a project. */
export async function selectDashboards(pool: pg.Pool, projectId: string, limit: number): Promise<DashboardRow[]> {
  const { rows } = await pool.query<DashboardRow>({
    name: 'dashboards',
    text: `select id, project_id, name, description, time_range, widget_count, revision, created_at, updated_at,
      updated_by, archived_at, archived_by
    from dashboards.dashboards
    where project_id = $1 and id > $2 and archived_at is null
      and ($3 or upper(lower(name collate "und-x-icu")) like (select upper(lower($4 collate "und-x-icu"))))
    order by id limit $5`,
    values: [projectId, '00000000-0000-0000-0000-000000000000', true, null, limit + 1],
  });
  return rows;
}

/** The call of a service that does nothing but ask the database. */
export const listDashboards: MethodDefinition<ListDashboardsRequest, ListDashboardsResponse> = {
  path: '/weir.bench.v1.BareDashboards/List',
  requestStream: false,
  responseStream: false,
  requestSerialize: (request) => Buffer.from(ListDashboardsRequest.encode(request).finish()),
  requestDeserialize: (bytes) => ListDashboardsRequest.decode(bytes),
  responseSerialize: (response) => Buffer.from(ListDashboardsResponse.encode(response).finish()),
  responseDeserialize: (bytes) => ListDashboardsResponse.decode(bytes),
};

/** Asks such a service, with the client of grpc-js as it is. */
export function bareClient(
  address: string,
): Disposable & { list(request: ListDashboardsRequest): Promise<ListDashboardsResponse> } {
  const client = new Client(address, credentials.createInsecure());
  const { path, requestSerialize, responseDeserialize } = listDashboards;
  return {
    list: (request) =>
      new Promise((resolve, reject) => {
        client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, (error, response) => {
          if (response === undefined) reject(error ?? new Error('no answer'));
          else resolve(response);
        });
      }),
    [Symbol.dispose]: () => client.close(),
  };
}
