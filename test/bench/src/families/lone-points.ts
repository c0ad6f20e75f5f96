import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { openRawUpserts } from '../raw-upserts.js';
import { loneWarmUp, WriteLoad } from '../write-load.js';

const loadMs = 3000;
const bodies = 40_000;

/** Requests of one point: what coalescing makes of many small ones. */
export const lonePoints: Family = {
  name: 'lone points',
  ratios: [
    {
      id: 'W4',
      what: 'requests of 1 point accepted, 64 at once, ÷ raw single upserts',
      goal: 0.75,
      stretch: 1.1,
      of: (r) => quotient(r['64 at once']?.['requestsPerSecond'], r['raw, one by one']?.['statementsPerSecond']),
    },
    {
      id: 'W5',
      what: 'requests of 1 point accepted, 256 at once ÷ 16 at once',
      goal: 3.2,
      stretch: 4.5,
      of: (r) => quotient(r['256 at once']?.['requestsPerSecond'], r['16 at once']?.['requestsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const raw = opening.use(await openRawUpserts());
    const writes = new WriteLoad(bench, opening.use(new Load()));
    const send = { perRequest: 1, variables: 1, durationMs: loadMs, bodies };
    await writes.run(loneWarmUp);
    const open = opening.move();
    return {
      trials: {
        '64 at once': () => writes.run({ ...send, connections: 64 }),
        'raw, one by one': () => raw.run({ points: 1, variables: 1, durationMs: 2000 }),
        '256 at once': () => writes.run({ ...send, connections: 256 }),
        '16 at once': () => writes.run({ ...send, connections: 16 }),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
