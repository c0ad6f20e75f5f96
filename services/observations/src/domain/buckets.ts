/** What is known of a bucket, besides where it starts. NaN stands for null. */
export const bucketColumns = [
  'counts',
  'sums',
  'minima',
  'maxima',
  'firsts',
  'lasts',
  'firstInstants',
  'lastInstants',
  'minInstants',
  'maxInstants',
  'stddevs',
  'p05s',
  'medians',
  'p95s',
  'areas',
  'gaps',
] as const;
export type BucketColumn = (typeof bucketColumns)[number];

/** The buckets of one series that have observations, in ascending time, as columns of one length. */
export interface Buckets {
  /** Instants in microseconds. */
  readonly starts: Float64Array;
  readonly columns: Readonly<Partial<Record<BucketColumn, Float64Array>>>;
}

export const noBuckets: Buckets = { starts: new Float64Array(0), columns: {} };

function mapColumns(buckets: Buckets, map: (column: Float64Array) => Float64Array): Buckets {
  const columns = Object.entries(buckets.columns).map(([name, column]) => [name, map(column)]);
  return { starts: map(buckets.starts), columns: Object.fromEntries(columns) };
}

/** A column of buckets that was read. */
export function columnOf({ columns }: Buckets, name: BucketColumn): Float64Array {
  return columns[name] ?? new Float64Array(0);
}

/** Some of the buckets, by half-open positions. */
export function sliceBuckets(buckets: Buckets, from: number, until: number): Buckets {
  return from === 0 && until === buckets.starts.length
    ? buckets
    : mapColumns(buckets, (column) => column.subarray(from, until));
}

/** Buckets that are one after the other in time. */
export function joinBuckets(before: Buckets, after: Buckets): Buckets {
  if (before.starts.length === 0) return after;
  if (after.starts.length === 0) return before;
  const join = (a: Float64Array, b: Float64Array): Float64Array => {
    const joined = new Float64Array(a.length + b.length);
    joined.set(a);
    joined.set(b, a.length);
    return joined;
  };
  const columns = Object.keys(before.columns) as BucketColumn[];
  return {
    starts: join(before.starts, after.starts),
    columns: Object.fromEntries(columns.map((name) => [name, join(columnOf(before, name), columnOf(after, name))])),
  };
}

/** Buckets in ascending time, whatever order they came in. */
export function sortBuckets(buckets: Buckets): Buckets {
  const { starts } = buckets;
  if (starts.every((start, i) => i === 0 || (starts[i - 1] as number) < start)) return buckets;
  const order = Uint32Array.from(starts.keys()).sort((a, b) => (starts[a] as number) - (starts[b] as number));
  return mapColumns(buckets, (column) => Float64Array.from(order, (from) => column[from] as number));
}
