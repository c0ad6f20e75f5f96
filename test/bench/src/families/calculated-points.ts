import { openBench } from '../bench.js';
import { createCalculated, untilRecalculated } from '../calculated-variable.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { WriteLoad } from '../write-load.js';

const send = { perRequest: 1000, variables: 1, connections: 8 } as const;
const loadMs = 4000;

/** Points that each cause one result, against the same points without. */
export const calculatedPoints: Family = {
  name: 'points with a calculated variable each',
  ratios: [
    {
      id: 'W12',
      what: 'points stored with one calculated variable each ÷ without',
      goal: 0.7,
      stretch: 0.85,
      of: (r) => quotient(r['with']?.['sustainedPointsPerSecond'], r['without']?.['sustainedPointsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const writes = new WriteLoad(bench, opening.use(new Load()));
    const plain = { ...send, instrumentPrefix: 'plain' };
    const calculating = { ...send, instrumentPrefix: 'calculating', resultsPerPoint: 1 };
    await writes.run({ ...plain, bodies: 40 });
    // their variables exist from the first points on, and those have results as well
    await writes.accept({ ...calculating, bodies: 40 });
    await bench.drained();
    const { rows } = await bench.sql.query<{ id: string }>(
      `select variable.id from variables.variables as variable
       join variables.instruments as instrument on instrument.id = variable.instrument_id
       where instrument.name like 'calculating %' and variable.variable_type = 'ingested'`,
    );
    for (const { id } of rows) await untilRecalculated(bench, (await createCalculated(bench, id)).runId);
    await writes.check();
    const open = opening.move();
    return {
      trials: {
        with: () => writes.run({ ...calculating, durationMs: loadMs, bodies: 700 }),
        without: () => writes.run({ ...plain, durationMs: loadMs, bodies: 700 }),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
