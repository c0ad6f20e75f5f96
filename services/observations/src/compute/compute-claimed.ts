import { setImmediate as pause } from 'node:timers/promises';
import type { Transaction } from '@weir/kit/sql';
import { clipRanges } from '../domain/combine-ranges.js';
import { type Evaluation, evaluateInstants } from '../domain/evaluate-instants.js';
import { countBefore, type KnownSeries } from '../domain/known-series.js';
import type { Ranges } from '../domain/ranges.js';
import { type SettledResults, settleResults } from '../domain/settle-results.js';
import type { Claimed } from './claim.js';
import { readInputs } from './read-inputs.js';
import { type Slice, type SliceLimits, startSlices } from './slice.js';

/** Steps of an evaluation between two looks at what else is to be done: a few milliseconds. */
const stretchStepsMax = 2_000_000;

/** Others wait so long for their turn at least. */
const turnMs = 5;

/** What came of computing a variable as far as was possible at once. */
export interface Computed {
  readonly claimed: Claimed;
  readonly evaluation: Evaluation;
  /** All that is marked before this instant is done; infinite for all. */
  readonly untilUs: number;
  /** What is done. */
  readonly ranges: Ranges;
  readonly settled: SettledResults;
  /** How many results were stored in it. */
  readonly storedCount: number;
  /** Whether it was more than could be done at once. */
  readonly isLarge: boolean;
}

const nothing: Evaluation = {
  instantsUs: new Float64Array(),
  values: new Float64Array(),
  reasons: new Uint8Array(),
  untilUs: Number.POSITIVE_INFINITY,
};

/** Lets others have their turn when the last pause is some time ago. */
class Turns {
  #sinceMs = performance.now();

  async pause(): Promise<void> {
    if (performance.now() - this.#sinceMs < turnMs) return;
    await pause();
    this.#sinceMs = performance.now();
  }
}

/** Evaluates a slice, with pauses for others. */
async function evaluateSlice({ claimed, driving, series }: Slice, stepsMax: number, turns: Turns): Promise<Evaluation> {
  if (claimed.calculation === undefined) return nothing;
  const evaluating = evaluateInstants(claimed.calculation, driving, series, { stepsMax, stretchStepsMax });
  for (;;) {
    const step = evaluating.next();
    if (step.done === true) return step.value;
    await turns.pause();
  }
}

function seriesBefore({ atUs, values }: KnownSeries, us: number): KnownSeries {
  const count = countBefore(atUs, us);
  return { atUs: atUs.subarray(0, count), values: values.subarray(0, count), untilUs: us };
}

/** Computes claimed variables, as far as is possible at once, and compares with what is stored. Writes nothing. */
export async function computeClaimed(
  tx: Transaction,
  claimed: readonly Claimed[],
  limits: SliceLimits,
): Promise<Computed[]> {
  const slices = await startSlices(tx, claimed, limits);
  await readInputs(tx, slices, limits);
  const computed: Computed[] = [];
  const turns = new Turns();
  for (const slice of slices) {
    const evaluation = await evaluateSlice(slice, limits.stepsMax, turns);
    const ranges = clipRanges(slice.ranges, Number.NEGATIVE_INFINITY, evaluation.untilUs);
    const before = seriesBefore(slice.stored, evaluation.untilUs);
    computed.push({
      claimed: slice.claimed,
      evaluation,
      untilUs: evaluation.untilUs,
      ranges,
      settled: settleResults(ranges, evaluation, before),
      storedCount: before.atUs.length,
      isLarge: slice.isLarge || evaluation.untilUs < slice.driving.untilUs,
    });
  }
  return computed;
}
