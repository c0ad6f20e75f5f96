import { parseConfig } from '@weir/kit/config';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { settings } from './config.js';
import type { Context } from './context.js';

/** The largest pages that the services answer. */
export const accessPageMax = 1000;
export const runsPageMax = 100;
export const recalculationsPageMax = 1000;

export type AccessClient = RpcClient<typeof AccessServiceDefinition>;
export type IngestionClient = RpcClient<typeof IngestionServiceDefinition>;
export type ObservationsClient = RpcClient<typeof ObservationsServiceDefinition>;
export type VariablesClient = RpcClient<typeof VariablesServiceDefinition>;

/** Connects to the access service that the environment names. */
export function connectAccess({ env }: Context): AccessClient {
  return connect(AccessServiceDefinition, parseConfig(settings.access, env).address);
}

/** Connects to the ingestion service that the environment names. */
export function connectIngestion({ env }: Context): IngestionClient {
  return connect(IngestionServiceDefinition, parseConfig(settings.ingestion, env).address);
}

/** Connects to the variables service that the environment names. */
export function connectVariables({ env }: Context): VariablesClient {
  return connect(VariablesServiceDefinition, parseConfig(settings.variables, env).address);
}

/** Connects to the service of observations that the environment names. */
export function connectObservations({ env }: Context): ObservationsClient {
  return connect(ObservationsServiceDefinition, parseConfig(settings.observations, env).address);
}
