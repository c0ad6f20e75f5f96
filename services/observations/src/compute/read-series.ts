import type { Series } from '@weir/expression';
import type { Transaction } from '@weir/kit/sql';
import { observationInstantMinUs } from '@weir/kit/time';
import { type KnownSeries, mergeSeries, noSeries } from '../domain/known-series.js';
import type { Ranges } from '../domain/ranges.js';
import { bigintArray, doublesFromBytes, instantArray, instantsFromBytes } from '../store/binary.js';
import { selectAscending, selectDescending } from '../store/inputs.js';

/** What to read of a series. */
export interface Ask {
  readonly variableKey: number;
  readonly ranges: Ranges;
  /** observations at most: the first ones */
  readonly limit: number;
}

function toSeries({ instants, values }: { readonly instants: Buffer; readonly values: Buffer }): Series {
  return { atUs: instantsFromBytes(instants), values: doublesFromBytes(values) };
}

/** Reads series in one statement; answers in the order of the asks. */
export async function readSeries(tx: Transaction, asks: readonly Ask[]): Promise<KnownSeries[]> {
  const series: KnownSeries[] = asks.map(() => noSeries);
  const asked = asks.flatMap(({ ranges }, i) => (ranges.startsUs.length > 0 ? [i] : []));
  if (asked.length === 0) return series;
  const firsts: number[] = [];
  const lasts: number[] = [];
  let count = 0;
  for (const i of asked) {
    firsts.push(count + 1);
    count += (asks[i] as Ask).ranges.startsUs.length;
    lasts.push(count);
  }
  const starts = new Float64Array(count);
  const ends = new Float64Array(count);
  asked.forEach((i, read) => {
    const { startsUs, endsUs } = (asks[i] as Ask).ranges;
    starts.set(startsUs, (firsts[read] as number) - 1);
    ends.set(endsUs, (firsts[read] as number) - 1);
  });
  const found = await selectAscending.all(tx, {
    variableKeys: asked.map((i) => (asks[i] as Ask).variableKey),
    firsts,
    lasts,
    limits: asked.map((i) => (asks[i] as Ask).limit),
    starts: instantArray(starts.map(withinTime)),
    ends: instantArray(ends.map(withinTime)),
  });
  for (const row of found) {
    const i = asked[row.read] as number;
    const known = toSeries(row);
    const { length } = known.atUs;
    const isAll = length < (asks[i] as Ask).limit;
    series[i] = { ...known, untilUs: isAll ? Number.POSITIVE_INFINITY : (known.atUs[length - 1] as number) + 1 };
  }
  return series;
}

/** A window may begin before all time. */
function withinTime(us: number): number {
  return Math.max(us, observationInstantMinUs);
}

/** A range of a series, of which the last observations are wanted. */
export interface LastAsk {
  readonly variableKey: number;
  readonly startUs: number;
  readonly endUs: number;
}

/** Reads the last observations of series, at most so many of each; answers in the order of the asks. */
export async function readLast(tx: Transaction, asks: readonly LastAsk[], limit: number): Promise<Series[]> {
  const series: Series[] = asks.map(() => noSeries);
  if (asks.length === 0) return series;
  const found = await selectDescending.all(tx, {
    variableKeys: bigintArray(Float64Array.from(asks, ({ variableKey }) => variableKey)),
    starts: instantArray(Float64Array.from(asks, ({ startUs }) => withinTime(startUs))),
    ends: instantArray(Float64Array.from(asks, ({ endUs }) => withinTime(endUs))),
    limit,
  });
  for (const row of found) {
    const { atUs, values } = toSeries(row);
    series[row.read] = { atUs: atUs.reverse(), values: values.reverse() };
  }
  return series;
}

/** Adds to series what comes before each of their ranges: the last observation there, if it is not further back than `reachUs`. */
export async function addBefore(
  tx: Transaction,
  reads: readonly {
    readonly variableKey: number;
    readonly ranges: Ranges;
    readonly before: { readonly reachUs: number | undefined } | undefined;
  }[],
  series: readonly KnownSeries[],
): Promise<KnownSeries[]> {
  const asks: LastAsk[] = [];
  const of: number[] = [];
  reads.forEach(({ variableKey, ranges, before }, read) => {
    if (before === undefined) return;
    for (const startUs of ranges.startsUs) {
      const reachUs = before.reachUs ?? Number.POSITIVE_INFINITY;
      asks.push({ variableKey, startUs: startUs - reachUs, endUs: startUs });
      of.push(read);
    }
  });
  const lasts = await readLast(tx, asks, 1);
  const byRead = Map.groupBy(
    lasts.map((last, i) => ({ last, read: of[i] as number })).filter(({ last }) => last.atUs.length > 0),
    ({ read }) => read,
  );
  return series.map((known, read) => {
    const before = byRead.get(read);
    if (before === undefined) return known;
    return { ...mergeSeries(ascending(before.map(({ last }) => last)), known), untilUs: known.untilUs };
  });
}

/** Single observations that come in ascending order, each of them once. */
function ascending(singles: readonly Series[]): Series {
  const each = singles.filter(({ atUs }, i) => i === 0 || atUs[0] !== singles[i - 1]?.atUs[0]);
  return {
    atUs: Float64Array.from(each, ({ atUs }) => atUs[0] as number),
    values: Float64Array.from(each, ({ values }) => values[0] as number),
  };
}
