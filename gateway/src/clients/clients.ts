import type { ConfigOf } from '@weir/kit/config';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { DashboardsServiceDefinition } from '@weir/proto/dashboards';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { ParsersServiceDefinition } from '@weir/proto/parsers';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { clientSettings } from './settings.js';

/** A key is told within this or the request is refused with 503: every request waits for it. */
const ofAccess = { timeoutMs: 3000 };
/** Longer than a query may take there by default: the service then says that it is too large. */
const ofObservations = { timeoutMs: 20_000 };

/** One gRPC client per service, each with its default deadline. */
export interface Clients extends Disposable {
  readonly access: RpcClient<typeof AccessServiceDefinition>;
  readonly variables: RpcClient<typeof VariablesServiceDefinition>;
  readonly dashboards: RpcClient<typeof DashboardsServiceDefinition>;
  readonly parsers: RpcClient<typeof ParsersServiceDefinition>;
  readonly ingestion: RpcClient<typeof IngestionServiceDefinition>;
  readonly observations: RpcClient<typeof ObservationsServiceDefinition>;
  /** Opens a client of the same service for one stream, on a connection that no other waits for. */
  readonly openObservationStream: () => RpcClient<typeof ObservationsServiceDefinition>;
}

/** Opens the clients; nothing is sent before the first call. Disposing closes their channels. */
export function openClients(config: ConfigOf<typeof clientSettings>): Clients {
  const stack = new DisposableStack();
  return {
    access: stack.use(connect(AccessServiceDefinition, config.accessAddress, ofAccess)),
    variables: stack.use(connect(VariablesServiceDefinition, config.variablesAddress)),
    dashboards: stack.use(connect(DashboardsServiceDefinition, config.dashboardsAddress)),
    parsers: stack.use(connect(ParsersServiceDefinition, config.parsersAddress)),
    ingestion: stack.use(connect(IngestionServiceDefinition, config.ingestionAddress)),
    observations: stack.use(connect(ObservationsServiceDefinition, config.observationsAddress, ofObservations)),
    openObservationStream: () =>
      connect(ObservationsServiceDefinition, config.observationsAddress, { ...ofObservations, forStreams: true }),
    [Symbol.dispose]: () => stack.dispose(),
  };
}
