import { type Buckets, columnOf } from './buckets.js';

/** Which of the costlier columns are read. */
export interface Wanted {
  readonly ends: boolean;
  readonly minAt: boolean;
  readonly maxAt: boolean;
  readonly stddev: boolean;
  readonly percentiles: boolean;
  /** From each observation to the next: areas and gaps. */
  readonly steps: boolean;
}

const nothing: Wanted = {
  ends: false,
  minAt: false,
  maxAt: false,
  stddev: false,
  percentiles: false,
  steps: false,
};

/** A function over the observations of a bucket. */
interface AggregateFunction {
  /** What a bucket without observations may be given: a number, 0, or nothing. */
  readonly kind: 'number' | 'count' | 'instant';
  readonly wants?: Partial<Wanted>;
  /** One value a bucket; NaN is null. */
  readonly of: (buckets: Buckets) => Float64Array;
}

/** What is not finite overflowed, and is null. */
function finite(length: number, at: (i: number) => number): Float64Array {
  return Float64Array.from({ length }, (_, i) => {
    const value = at(i);
    return Number.isFinite(value) ? value : Number.NaN;
  });
}

function quotient(buckets: Buckets): Float64Array {
  const sums = columnOf(buckets, 'sums');
  const counts = columnOf(buckets, 'counts');
  return finite(sums.length, (i) => (sums[i] as number) / (counts[i] as number));
}

function range(buckets: Buckets): Float64Array {
  const minima = columnOf(buckets, 'minima');
  const maxima = columnOf(buckets, 'maxima');
  return finite(minima.length, (i) => (maxima[i] as number) - (minima[i] as number));
}

/** Area below the lines that join neighbouring observations of the bucket, by the time they span. */
function timeWeightedMean(buckets: Buckets): Float64Array {
  const areas = columnOf(buckets, 'areas');
  const firsts = columnOf(buckets, 'firsts');
  const from = columnOf(buckets, 'firstInstants');
  const until = columnOf(buckets, 'lastInstants');
  return finite(areas.length, (i) => {
    const spanUs = (until[i] as number) - (from[i] as number);
    return spanUs === 0 ? (firsts[i] as number) : (areas[i] as number) / (2 * spanUs);
  });
}

const number = (name: Parameters<typeof columnOf>[1], wants?: Partial<Wanted>): AggregateFunction => ({
  kind: 'number',
  ...(wants && { wants }),
  of: (buckets) => {
    const column = columnOf(buckets, name);
    return finite(column.length, (i) => column[i] as number);
  },
});

/** The functions by the names that the contract gives them. */
const aggregateFunctions: Readonly<Record<string, AggregateFunction>> = {
  mean: { kind: 'number', of: quotient },
  min: number('minima'),
  max: number('maxima'),
  sum: number('sums'),
  count: { kind: 'count', of: (buckets) => columnOf(buckets, 'counts') },
  first: number('firsts', { ends: true }),
  last: number('lasts', { ends: true }),
  stddev: number('stddevs', { stddev: true }),
  median: number('medians', { percentiles: true }),
  range: { kind: 'number', of: range },
  p05: number('p05s', { percentiles: true }),
  p95: number('p95s', { percentiles: true }),
  time_weighted_mean: { kind: 'number', wants: { ends: true, steps: true }, of: timeWeightedMean },
  min_at: { kind: 'instant', wants: { minAt: true }, of: (buckets) => columnOf(buckets, 'minInstants') },
  max_at: { kind: 'instant', wants: { maxAt: true }, of: (buckets) => columnOf(buckets, 'maxInstants') },
};

/** A function of the contract by its name; undefined when there is none. */
export function aggregateFunction(name: string): AggregateFunction | undefined {
  return Object.hasOwn(aggregateFunctions, name) ? aggregateFunctions[name] : undefined;
}

/** What must be read for functions, and for the gaps between observations where these are wanted as well. */
export function wantedOf(names: readonly string[], gaps: boolean): Wanted {
  return Object.assign(
    { ...nothing },
    ...names.map((name) => aggregateFunction(name)?.wants ?? {}),
    gaps ? { ends: true, steps: true } : {},
  );
}
