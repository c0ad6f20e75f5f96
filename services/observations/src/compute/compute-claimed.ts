import { setImmediate as pause } from 'node:timers/promises';
import type { Transaction } from '@weir/kit/sql';
import { clipRanges } from '../domain/combine-ranges.js';
import { instantsBefore } from '../domain/driving-instants.js';
import { type Evaluation, evaluateInstants } from '../domain/evaluate-instants.js';
import { countBefore, type KnownSeries } from '../domain/known-series.js';
import type { Ranges } from '../domain/ranges.js';
import { type SettledResults, settleResults } from '../domain/settle-results.js';
import type { Claimed } from './claim.js';
import { readInputs } from './read-inputs.js';
import { readSeries } from './read-series.js';
import { type Slice, type SliceLimits, startSlices } from './slice.js';

/** Steps of an evaluation between two looks at what else is to be done: a few milliseconds. */
const stretchStepsMax = 2_000_000;

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

/** Evaluates a slice, with pauses for others. */
async function evaluateSlice({ claimed, driving, series }: Slice, stepsMax: number): Promise<Evaluation> {
  if (claimed.calculation === undefined) return nothing;
  const evaluating = evaluateInstants(claimed.calculation, driving, series, { stepsMax, stretchStepsMax });
  for (;;) {
    const step = evaluating.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Reads the results that are stored where slices are computed, and cuts these to what was read. */
async function readStored(tx: Transaction, slices: readonly Slice[], limits: SliceLimits): Promise<KnownSeries[]> {
  const asks = slices.map(({ claimed, ranges, driving }) => ({
    variableKey: claimed.variableKey,
    ranges: clipRanges(ranges, Number.NEGATIVE_INFINITY, driving.untilUs),
    limit: 2 * limits.instantsMax,
  }));
  const stored = await readSeries(tx, asks);
  slices.forEach((slice, i) => {
    const { untilUs } = stored[i] as KnownSeries;
    if (untilUs < slice.driving.untilUs) slice.driving = instantsBefore(slice.driving, untilUs);
  });
  return stored;
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
  const stored = await readStored(tx, slices, limits);
  const computed: Computed[] = [];
  for (const [i, slice] of slices.entries()) {
    const evaluation = await evaluateSlice(slice, limits.stepsMax);
    const ranges = clipRanges(slice.ranges, Number.NEGATIVE_INFINITY, evaluation.untilUs);
    const before = seriesBefore(stored[i] as KnownSeries, evaluation.untilUs);
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
