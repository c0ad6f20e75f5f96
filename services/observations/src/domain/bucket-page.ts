import { type Buckets, sliceBuckets } from './buckets.js';

/** A bucket of a series: pages go bucket by bucket, and within a bucket by the series asked. */
export interface BucketPosition {
  readonly bucketUs: number;
  readonly seriesIndex: number;
}

/** Whether a bucket lies before a position in the order of pages. */
function isBefore(bucketUs: number, seriesIndex: number, at: BucketPosition, descending: boolean): boolean {
  if (bucketUs === at.bucketUs) return seriesIndex < at.seriesIndex;
  return descending ? bucketUs > at.bucketUs : bucketUs < at.bucketUs;
}

/** The buckets of one series from one position of the order of pages, and before another. */
export function cutBuckets(
  buckets: Buckets,
  seriesIndex: number,
  page: { readonly from?: BucketPosition | undefined; readonly until?: BucketPosition | undefined },
  descending: boolean,
): Buckets {
  const { from, until } = page;
  const { starts } = buckets;
  const isOfPage = (bucketUs: number): boolean =>
    (from === undefined || !isBefore(bucketUs, seriesIndex, from, descending)) &&
    (until === undefined || isBefore(bucketUs, seriesIndex, until, descending));
  let first = 0;
  let end = starts.length;
  while (first < end && !isOfPage(starts[first] as number)) first++;
  while (end > first && !isOfPage(starts[end - 1] as number)) end--;
  return sliceBuckets(buckets, first, end);
}

/** The position of the bucket after the first `limit` of all series; undefined when there are no more. */
export function positionAfter(
  series: readonly Buckets[],
  limit: number,
  descending: boolean,
): BucketPosition | undefined {
  const all = new Float64Array(series.reduce((sum, { starts }) => sum + starts.length, 0));
  if (all.length <= limit) return undefined;
  let filled = 0;
  for (const { starts } of series) {
    all.set(starts, filled);
    filled += starts.length;
  }
  all.sort();
  if (descending) all.reverse();
  const bucketUs = all[limit] as number;
  // those of the same bucket that the page still takes
  let room = limit - all.indexOf(bucketUs);
  const seriesIndex = series.findIndex(({ starts }) => starts.includes(bucketUs) && room-- === 0);
  return { bucketUs, seriesIndex };
}
