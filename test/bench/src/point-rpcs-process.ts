/** Serves `PointRpcs` in a process of its own, so that client and server have a processor each. */
import { createLogger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { unpackPoints } from '@weir/points';
import { PointRpcsDefinition } from './point-rpcs.js';

const answer = (count: number) => ({
  admissions: [{ batchId: '', count, replayed: false, states: Buffer.alloc(0) }],
});
const { address } = await startRpcServer({
  listenAddress: '127.0.0.1:0',
  services: [
    served(PointRpcsDefinition, {
      packed: async ({ submissions }) =>
        answer(submissions.reduce((sum, { body }) => sum + unpackPoints(body).count, 0)),
      nested: async ({ points }) => answer(points.length),
    }),
  ],
  isReady: async () => undefined,
  log: createLogger('bench', 'warn'),
  drainMs: 0,
});
process.send?.(address);
process.once('disconnect', () => process.exit());
