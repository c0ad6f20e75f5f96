import { setTimeout as delay } from 'node:timers/promises';
import { type BackgroundLoop, startLoop } from '@weir/kit/lifecycle';
import { RecalculationChoice } from './choose-candidates.js';
import { type Computing, computeCandidates } from './compute-candidates.js';
import type { MakingWay } from './making-way.js';
import { Pace } from './pace.js';
import { RecalculationSpans } from './recalculation-spans.js';
import type { SliceLimits } from './slice.js';
import { Trouble } from './trouble.js';

/** How often a processor looks for recalculations that it was not told of. */
const pollMs = 1000;
/** What others have, or live points wait for, is tried again so soon. */
const retryMs = 20;
/** Variables whose pace is remembered. */
const pacesMax = 10_000;

/** Works recalculations off, one variable at a time, a slice of it in each transaction. */
export function startRecalculationLoop(
  computing: Computing,
  makingWay: MakingWay,
  limits: SliceLimits,
): BackgroundLoop {
  const choice = new RecalculationChoice();
  const paces = new Map<number, Pace>();
  const spans = new RecalculationSpans();
  const trouble = new Trouble(computing.events, 'recalculate');
  const paceOf = (variableKey: number): Pace => {
    if (paces.size > pacesMax) paces.clear();
    const pace = paces.get(variableKey) ?? new Pace(limits.instantsMax);
    paces.set(variableKey, pace);
    return pace;
  };
  return startLoop({
    name: 'recalculation',
    intervalMs: pollMs,
    work: async (signal) => {
      while (!signal.aborted) {
        const candidate = await choice.next(computing.pool);
        if (candidate === undefined) break;
        let claimed = 0;
        if (candidate !== 'later') {
          const pace = paceOf(candidate.variableKey);
          const instantsMax = pace.next();
          const compute = () => computeCandidates(computing, 1, [candidate], { ...limits, instantsMax });
          const measured = () => pace.measure(instantsMax, compute);
          const part = () => spans.inSpan(computing.pool, candidate.variableKey, measured);
          claimed = (await makingWay.during(signal, part)).claimed;
        }
        if (claimed === 0) await delay(retryMs, undefined, { signal }).catch(() => undefined);
      }
      trouble.isOver();
    },
    onError: (error) => trouble.begins(error),
  });
}
