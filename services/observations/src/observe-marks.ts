import { createInstruments, observeGauges } from '@weir/kit/metrics';
import type { Pool } from '@weir/kit/sql';
import { metrics } from './metrics.js';
import { selectBacklog } from './store/backlog.js';
import { selectRunning } from './store/recalculations.js';

/** Tells what is to be computed whenever somebody asks, until disposed. */
export function observeMarks(pool: Pool): Disposable {
  const { marks, recalculations, rangesLeft } = createInstruments(metrics);
  return observeGauges([marks, recalculations, rangesLeft], async () => {
    const { live, recalculation, putAside } = await selectBacklog.one(pool, {});
    marks.set(live, { 'weir.lane': 'live' });
    marks.set(recalculation, { 'weir.lane': 'recalculation' });
    marks.set(putAside, { 'weir.lane': 'put_aside' });
    const running = await selectRunning.one(pool, {});
    recalculations.set(running.runs);
    rangesLeft.set(running.rangesLeft);
  });
}
