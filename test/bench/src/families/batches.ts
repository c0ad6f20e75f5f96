import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { openRawUpserts } from '../raw-upserts.js';
import { WriteLoad } from '../write-load.js';

const loadMs = 4000;
const rawMs = 2000;
const warmUpBatches = 40;

/** Batches of 1,000 points against raw SQL: what admission and processing cost beside the database. */
export const batches: Family = {
  name: 'batches of 1,000 points',
  ratios: [
    {
      id: 'W1',
      what: 'points accepted, 1 variable, ÷ rows of raw upserts',
      goal: 0.6,
      stretch: 0.9,
      of: (r) => quotient(r['one variable']?.['acceptedPointsPerSecond'], r['raw, one variable']?.['rowsPerSecond']),
    },
    {
      id: 'W2',
      what: 'points stored, 1 variable, ÷ rows of raw upserts',
      goal: 0.55,
      stretch: 0.85,
      of: (r) => quotient(r['one variable']?.['sustainedPointsPerSecond'], r['raw, one variable']?.['rowsPerSecond']),
    },
    {
      id: 'W3',
      what: 'observations stored, 5 variables, ÷ rows of raw upserts',
      goal: 1.1,
      stretch: 1.8,
      of: (r) =>
        quotient(
          (r['five variables']?.['sustainedPointsPerSecond'] ?? Number.NaN) * 5,
          r['raw, five variables']?.['rowsPerSecond'],
        ),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const raw = opening.use(await openRawUpserts());
    const writes = new WriteLoad(bench, opening.use(new Load()));
    const send = { perRequest: 1000, connections: 8, durationMs: loadMs };
    await writes.run({ ...send, variables: 1, bodies: warmUpBatches });
    const open = opening.move();
    return {
      trials: {
        'one variable': () => writes.run({ ...send, variables: 1, bodies: 1000 }),
        'raw, one variable': () => raw.run({ points: 1000, variables: 1, durationMs: rawMs }),
        'five variables': () => writes.run({ ...send, variables: 5, bodies: 500 }),
        'raw, five variables': () => raw.run({ points: 1000, variables: 5, durationMs: rawMs }),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
