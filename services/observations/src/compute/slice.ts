import type { Transaction } from '@weir/kit/sql';
import { clipRanges, noRanges, uniteRanges } from '../domain/combine-ranges.js';
import { type DrivingInstants, drivingInstants } from '../domain/driving-instants.js';
import type { KnownSeries } from '../domain/known-series.js';
import { driverReads } from '../domain/needed-reads.js';
import type { Ranges } from '../domain/ranges.js';
import type { Claimed } from './claim.js';
import { readSeries } from './read-series.js';

/** How much is computed of a variable in one transaction. */
export interface SliceLimits {
  readonly instantsMax: number;
  readonly rangesMax: number;
  /** Observations an instant that are read of a series, rather than looked up at each instant. */
  readonly scannedRowsPerInstant: number;
  /** observations that are read for the windows over one series */
  readonly windowRowsMax: number;
  readonly stepsMax: number;
  /** Whether an instant is computed, however many observations its windows hold. */
  readonly isPatient: boolean;
}

/** What is computed of a variable in one transaction: all before an instant, on the way cut to what can be done. */
export interface Slice {
  readonly claimed: Claimed;
  /** All that is marked and looked at. */
  readonly ranges: Ranges;
  readonly firstInstantUs: number;
  readonly allDriving: DrivingInstants;
  driving: DrivingInstants;
  /** Whether it is more than can be done at once. */
  isLarge: boolean;
  /** What was read, by key. */
  readonly series: Map<number, KnownSeries>;
  /** The results that are stored in the ranges. */
  readonly stored: KnownSeries;
}

/** The first of the ranges that are marked, and where what is left out begins. */
function firstRanges({ marks }: Claimed, max: number): { readonly ranges: Ranges; readonly endUs: number } {
  const ranges = uniteRanges(marks.map((mark) => mark.ranges));
  const endUs = ranges.startsUs[max];
  if (endUs === undefined) return { ranges, endUs: Number.POSITIVE_INFINITY };
  return { ranges: clipRanges(ranges, Number.NEGATIVE_INFINITY, endUs), endUs };
}

/** Finds the first instants of what is marked, and the results that are stored there: one statement for all variables. */
export async function startSlices(tx: Transaction, claimed: readonly Claimed[], limits: SliceLimits): Promise<Slice[]> {
  const limit = limits.instantsMax + 1;
  const found = claimed.map((one) => {
    const { ranges, endUs } = one.calculation === undefined ? notComputed : firstRanges(one, limits.rangesMax);
    const reads = one.calculation === undefined ? [] : driverReads(one.calculation, ranges);
    return { claimed: one, ranges, endUs, reads };
  });
  const asks = found.flatMap(({ claimed: { variableKey }, ranges, reads }) => [
    { variableKey, ranges, limit },
    ...reads.map((read) => ({ ...read, limit })),
  ]);
  const known = (await readSeries(tx, asks)).values();
  const next = (): KnownSeries => known.next().value as KnownSeries;
  return found.map(({ claimed: one, ranges, endUs, reads }) => {
    const stored = next();
    const series = new Map(reads.map(({ variableKey }) => [variableKey, next()] as const));
    const untilUs = Math.min(endUs, stored.untilUs);
    const driving =
      one.calculation === undefined
        ? { pieces: [], count: 0, untilUs }
        : drivingInstants(one.calculation, series, untilUs, limits.instantsMax);
    return {
      claimed: one,
      ranges,
      firstInstantUs: driving.pieces[0]?.instantsUs[0] ?? Number.POSITIVE_INFINITY,
      allDriving: driving,
      driving,
      isLarge: Number.isFinite(driving.untilUs),
      series,
      stored,
    };
  });
}

const notComputed = { ranges: noRanges, endUs: Number.POSITIVE_INFINITY };
