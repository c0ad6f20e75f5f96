/** Serves `PointFormsService` in a process of its own, so that client and server have a processor each. */
import { tuneCollections } from '@weir/kit/garbage';
import { createLogger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { unpackPoints } from '@weir/points';
import { PointFormsServiceDefinition } from '@weir/proto/bench';

// as in the processes of Weir
tuneCollections();
const { address } = await startRpcServer({
  listenAddress: '127.0.0.1:0',
  services: [
    served(PointFormsServiceDefinition, {
      submitPacked: async ({ submissions }) => ({
        count: submissions.reduce((sum, { body }) => sum + unpackPoints(body).count, 0),
      }),
      submitNested: async ({ points }) => ({ count: points.length }),
    }),
  ],
  isReady: async () => undefined,
  log: createLogger('bench', 'warn'),
  drainMs: 0,
});
process.send?.(address);
process.once('disconnect', () => process.exit());
