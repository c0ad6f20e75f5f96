import { openBench } from '../bench.js';
import { lagsOf } from '../lags.js';
import { Load, percentile } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { openRawUpserts } from '../raw-upserts.js';
import { WriteLoad } from '../write-load.js';

const send = { perRequest: 1000, variables: 1 } as const;
const loneRequests = 100;
const openLoopMs = 5000;

/** How long one waits: for an answer alone, and until a reading can be read, at half the rate that can be sustained. */
export const latencies: Family = {
  name: 'latencies',
  ratios: [
    {
      id: 'W9',
      what: 'median answer to a batch of 1,000 alone ÷ median raw upsert of 1,000 rows',
      goal: 2.5,
      stretch: 1.6,
      isLowerBetter: true,
      of: (r) => quotient(r['one at a time']?.['p50Ms'], r['raw, one at a time']?.['p50Ms']),
    },
    {
      id: 'W10',
      what: '99th percentile from request to stored ÷ median answer, at half the sustained rate',
      goal: 6,
      stretch: 3,
      isLowerBetter: true,
      of: (r) => quotient(r['half the rate']?.['lagP99Ms'], r['half the rate']?.['p50Ms']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const raw = opening.use(await openRawUpserts());
    const writes = new WriteLoad(bench, opening.use(new Load()));
    await writes.run({ ...send, connections: 8, bodies: 40 });
    const full = await writes.run({ ...send, connections: 8, durationMs: 3000, bodies: 600 });
    const perSecond = (full['sustainedPointsPerSecond'] as number) / send.perRequest / 2;
    const openLoop = async () => {
      const bodies = Math.ceil((perSecond * openLoopMs) / 1000);
      const result = await writes.accept({ ...send, connections: 64, perSecond, durationMs: openLoopMs, bodies });
      await bench.drained();
      const lags = await lagsOf(bench, result);
      return {
        batchesPerSecond: perSecond,
        p50Ms: percentile(result.latencies, 0.5),
        p99Ms: percentile(result.latencies, 0.99),
        lagP50Ms: percentile(lags, 0.5),
        lagP99Ms: percentile(lags, 0.99),
      };
    };
    const open = opening.move();
    return {
      trials: {
        'one at a time': () => writes.run({ ...send, connections: 1, requestsMax: loneRequests, bodies: loneRequests }),
        'raw, one at a time': () => raw.run({ points: 1000, variables: 1, statementsMax: loneRequests }),
        'half the rate': openLoop,
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
