import { apiOf } from './api.js';
import type { FaultStack } from './fault-stack.js';
import { reading } from './points.js';
import type { Tenant } from './tenant.js';

/** What each service reads or writes for requests of its own: while it is locked, they are under way and have no answer. */
export const tables = {
  access: 'access.developer_keys',
  variables: 'variables.sites',
  dashboards: 'dashboards.dashboards',
  parsers: 'parsers.parsers',
  ingestion: 'ingestion.batches',
  observations: 'observations.observations',
} as const;

/** One of the services. */
export type Service = keyof typeof tables;

/** All of them. */
export const services = Object.keys(tables) as Service[];

/** The paths of requests each of which reads what one service has; that of access does so with a key that its gateway does not know yet. */
export async function readPaths(
  { stack, settled }: FaultStack,
  tenant: Tenant,
): Promise<Readonly<Record<Service, string>>> {
  const api = apiOf(stack.gatewayUrl, tenant);
  const { runs } = await api.ingest([reading('kept', 0, 1)]);
  await settled();
  const { variables } = await api.run(runs[0]?.run_id ?? '');
  const project = `/dev-api/v1/p/${tenant.projectId}`;
  return {
    access: '/dev-api/v1/permissions',
    variables: `${project}/sites`,
    dashboards: `${project}/dashboards`,
    parsers: `${project}/parsers`,
    ingestion: `${project}/runs`,
    observations: `${project}/observations?variable_id=${variables[0]?.variable_id}`,
  };
}
