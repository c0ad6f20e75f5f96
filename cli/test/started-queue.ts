import { createLogger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { type DeepPartial, GetQueueResponse, IngestionServiceDefinition } from '@weir/proto/ingestion';

/** A service of ingestion that only says what waits to be processed. */
export async function startedQueue(queue: DeepPartial<GetQueueResponse>) {
  const unasked = (): Promise<never> => Promise.reject(new Error('nobody asks for runs here'));
  return await startRpcServer({
    listenAddress: '127.0.0.1:0',
    services: [
      served(IngestionServiceDefinition, {
        admit: unasked,
        findFile: unasked,
        beginFile: unasked,
        admitFile: unasked,
        finishFile: unasked,
        getRun: unasked,
        listRuns: unasked,
        retryRuns: unasked,
        beginAttempts: unasked,
        takeBackAttempts: unasked,
        findQueued: unasked,
        completeRuns: unasked,
        getBatchBody: unasked,
        getQueue: () => Promise.resolve(GetQueueResponse.fromPartial(queue)),
      }),
    ],
    isReady: () => Promise.resolve(),
    log: createLogger('ingestion', 'silent'),
    drainMs: 0,
  });
}
