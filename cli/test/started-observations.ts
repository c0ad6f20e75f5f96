import { createLogger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { type GetBacklogResponse, ObservationsServiceDefinition } from '@weir/proto/observations';

/** A service of observations that only says what waits to be computed. */
export async function startedObservations(backlog: GetBacklogResponse) {
  const unasked = (): Promise<never> => Promise.reject(new Error('nobody asks for observations here'));
  return await startRpcServer({
    listenAddress: '127.0.0.1:0',
    services: [
      served(ObservationsServiceDefinition, {
        aggregateObservations: unasked,
        listObservations: unasked,
        getLatestObservations: unasked,
        exportObservations: () => {
          throw new Error('nobody asks for observations here');
        },
        getLastInstants: unasked,
        getBacklog: () => Promise.resolve(backlog),
      }),
    ],
    isReady: () => Promise.resolve(),
    log: createLogger('observations', 'silent'),
    drainMs: 0,
  });
}
