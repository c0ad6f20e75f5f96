import { bucketEdges } from '../domain/bucket-grid.js';
import { type BucketPosition, cutBuckets, positionAfter } from '../domain/bucket-page.js';
import { type Buckets, joinBuckets, noBuckets } from '../domain/buckets.js';
import { selectFirstInstants, selectLastInstantsBefore } from '../store/neighbours.js';
import { asQueryLimit } from './query-limit.js';
import { type BucketSource, readBuckets } from './read-buckets.js';

/** Which buckets make a page: of the half-open range, so many of all series, from a position on. */
export interface PageOfBuckets {
  readonly startUs: number;
  readonly endUs: number;
  readonly descending: boolean;
  readonly limit: number;
  readonly from: BucketPosition | undefined;
}

/** A page as it was read. */
export interface BucketsRead {
  /** Of each series the buckets of the page, where empty buckets are left out. */
  readonly series: readonly Buckets[];
  readonly nextFrom: BucketPosition | undefined;
}

/** Buckets of all series that are looked at with one statement, at most. */
const windowMax = 20_000;

/** Stretches that one page is read in, at most: then it ends, though it is not full. */
const stretchesMax = 50;

/** The starts of up to `count` buckets from one on, in the direction of a page, and what they span in ascending order. */
export function bucketRun(
  { grid }: Pick<BucketSource, 'grid'>,
  { startUs, endUs, descending }: PageOfBuckets,
  bucketUs: number,
  count: number,
): Float64Array {
  if (!descending) return bucketEdges(grid, bucketUs, endUs, count);
  let firstUs = bucketUs;
  for (let i = 1; i < count && firstUs > startUs; i++) firstUs = grid.floor(firstUs - 1);
  return bucketEdges(grid, firstUs, grid.next(bucketUs), count);
}

/** The start of the first bucket of a page's direction. */
export function firstBucket({ grid }: Pick<BucketSource, 'grid'>, page: PageOfBuckets): number {
  return page.from?.bucketUs ?? grid.floor(page.descending ? page.endUs - 1 : page.startUs);
}

/** The next bucket beyond those read that has an observation of any series. */
async function nextOccupied(
  source: BucketSource,
  page: PageOfBuckets,
  read: { readonly firstUs: number; readonly endUs: number },
): Promise<number | undefined> {
  const { db, projectId, variableKeys, grid } = source;
  const range = page.descending
    ? { startUs: page.startUs, endUs: read.firstUs }
    : { startUs: read.endUs, endUs: page.endUs };
  if (range.startUs >= range.endUs) return undefined;
  const statement = page.descending ? selectLastInstantsBefore : selectFirstInstants;
  const found = await asQueryLimit(statement.all(db, { projectId, variableKeys, ...range }));
  if (found.length === 0) return undefined;
  const instants = found.map(({ atUs }) => atUs);
  return grid.floor(page.descending ? Math.max(...instants) : Math.min(...instants));
}

/**
 * Reads a page without empty buckets. How far it reaches is not known beforehand, so it is read in
 * stretches of buckets, which get longer where few have observations; what has none is skipped. Where
 * observations lie tens of thousands of buckets apart, a page is not filled.
 */
export async function readOccupied(source: BucketSource, page: PageOfBuckets): Promise<BucketsRead> {
  const { variableKeys } = source;
  const { descending, limit, from } = page;
  let series: Buckets[] = variableKeys.map(() => noBuckets);
  let growth = 1;
  let nextUs: number | undefined = firstBucket(source, page);
  for (let stretches = 0; nextUs !== undefined; stretches++) {
    if (stretches === stretchesMax) return { series, nextFrom: { bucketUs: nextUs, seriesIndex: 0 } };
    const held = series.reduce((sum, { starts }) => sum + starts.length, 0);
    const pairs = Math.min((limit + 1 - held) * growth, windowMax);
    const edges = bucketRun(source, page, nextUs, Math.ceil(pairs / variableKeys.length) + 1);
    const [firstUs, endUs] = [edges[0] as number, edges.at(-1) as number];
    const range = { startUs: Math.max(firstUs, page.startUs), endUs: Math.min(endUs, page.endUs) };
    const stretch = await readBuckets(source, range, edges);
    series = series.map((before, i) => {
      const cut = cutBuckets(stretch[i] as Buckets, i, { from }, descending);
      return descending ? joinBuckets(cut, before) : joinBuckets(before, cut);
    });
    const until = positionAfter(series, limit, descending);
    if (until !== undefined) {
      return { series: series.map((each, i) => cutBuckets(each, i, { until }, descending)), nextFrom: until };
    }
    const found = series.reduce((sum, { starts }) => sum + starts.length, 0) - held;
    growth = Math.min(Math.max(Math.ceil(pairs / Math.max(found, 1)), growth), 64);
    nextUs = await nextOccupied(source, page, { firstUs, endUs });
  }
  return { series, nextFrom: undefined };
}
