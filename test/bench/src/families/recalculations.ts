import { openBench } from '../bench.js';
import { createCalculated, untilRecalculated } from '../calculated-variable.js';
import { cpuSeconds } from '../cpu-seconds.js';
import { lagsOf } from '../lags.js';
import { Load, percentile } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { storeSeries } from '../stored-series.js';
import { WriteLoad } from '../write-load.js';

const count = 1_000_000;
const wanted = 100_000;
const live = { perRequest: 10, variables: 1, connections: 16, perSecond: 50, durationMs: 4000, bodies: 200 } as const;

/** A variable of a million observations calculated anew, alone and beside points that come in. */
export const recalculations: Family = {
  name: 'a recalculation of 1,000,000 instants',
  ratios: [
    {
      id: 'X1',
      what: 'instants recalculated a second, all values changed, ÷ 100,000',
      goal: 1,
      of: (r) => quotient(r['recalculation']?.['instantsPerSecond'], wanted),
    },
    {
      id: 'X2',
      what: 'median from request to stored beside a recalculation ÷ without one',
      goal: 2,
      isLowerBetter: true,
      of: (r) => quotient(r['points beside it']?.['lagP50Ms'], r['points alone']?.['lagP50Ms']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const [source] = await storeSeries(bench, { instrument: 'source', variables: 1, count, stepS: 60 });
    const writes = new WriteLoad(bench, opening.use(new Load()));
    const calculated = await createCalculated(bench, source?.variableId ?? '');
    await untilRecalculated(bench, calculated.runId);
    await writes.accept({ ...live, perSecond: 20 });
    await bench.drained();
    // what storing a million observations by SQL leaves to be done is not measured
    await bench.sql.query('vacuum analyze observations.observations');
    await untilRecalculated(bench, await calculated.recalculate());
    const processor = bench.stack.process('processor-1').pid;
    const recalculation = async () => {
      const startedMs = performance.now();
      const cpuBefore = cpuSeconds(processor);
      const run = await untilRecalculated(bench, await calculated.recalculate());
      const seconds = (performance.now() - startedMs) / 1000;
      if (run.progress.instants.done !== count)
        throw new Error(`${run.progress.instants.done} instants were evaluated`);
      return { instantsPerSecond: count / seconds, processorCpuSeconds: cpuSeconds(processor) - cpuBefore };
    };
    const points = async () => {
      const sent = await writes.accept(live);
      await bench.drained();
      const lags = await lagsOf(bench, sent);
      return { lagP50Ms: percentile(lags, 0.5), lagP99Ms: percentile(lags, 0.99) };
    };
    const beside = async () => {
      let isOver = false;
      const working = (async () => {
        while (!isOver) await untilRecalculated(bench, await calculated.recalculate());
      })();
      const measured = await points();
      isOver = true;
      await working;
      return measured;
    };
    const open = opening.move();
    return {
      trials: { recalculation, 'points alone': points, 'points beside it': beside },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
