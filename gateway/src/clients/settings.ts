import { serviceAddress } from '@weir/kit/config';

/** Where the services answer that the gateway calls. */
export const clientSettings = {
  accessAddress: serviceAddress('ACCESS_ADDRESS', 'access'),
  variablesAddress: serviceAddress('VARIABLES_ADDRESS', 'variables'),
  dashboardsAddress: serviceAddress('DASHBOARDS_ADDRESS', 'dashboards'),
  parsersAddress: serviceAddress('PARSERS_ADDRESS', 'parsers'),
  ingestionAddress: serviceAddress('INGESTION_ADDRESS', 'ingestion'),
  observationsAddress: serviceAddress('OBSERVATIONS_ADDRESS', 'observations'),
} as const;
