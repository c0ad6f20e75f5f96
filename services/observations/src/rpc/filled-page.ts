import { type BucketPosition, cutBuckets, positionAfter } from '../domain/bucket-page.js';
import { type Buckets, joinBuckets, noBuckets } from '../domain/buckets.js';
import type { Fill } from '../domain/fill-buckets.js';
import { selectFirstInstants, selectLastInstantsBefore } from '../store/neighbours.js';
import { bucketRun, firstBucket, type PageOfBuckets } from './page-of-buckets.js';
import { asQueryLimit } from './query-limit.js';
import { type BucketSource, readBuckets } from './read-buckets.js';

/** A page in which every bucket stands, as it was read. */
export interface FilledPage {
  readonly series: readonly {
    /** The buckets of the page. */
    readonly starts: Float64Array;
    /** Those that have observations, and the nearest ones beyond the page that its ends are filled from. */
    readonly buckets: Buckets;
  }[];
  readonly nextFrom: BucketPosition | undefined;
}

/**
 * Reads, of the series at `indexes`, the last bucket before a page or the first one after it that has
 * observations, within the range that is asked.
 */
async function readNeighbours(
  source: BucketSource,
  indexes: readonly number[],
  range: { readonly startUs: number; readonly endUs: number },
  isBefore: boolean,
): Promise<Map<number, Buckets>> {
  const neighbours = new Map<number, Buckets>();
  if (indexes.length === 0 || range.startUs >= range.endUs) return neighbours;
  const { db, projectId, grid } = source;
  const keysOf = (each: readonly number[]): number[] => each.map((i) => source.variableKeys[i] as number);
  const statement = isBefore ? selectLastInstantsBefore : selectFirstInstants;
  const found = await asQueryLimit(statement.all(db, { projectId, variableKeys: keysOf(indexes), ...range }));
  // series of one instrument mostly have their neighbours in one bucket
  for (const [bucketUs, members] of Map.groupBy(found, ({ atUs }) => grid.floor(atUs))) {
    const own = members.map(({ seriesIndex }) => indexes[seriesIndex] as number);
    const edges = Float64Array.of(bucketUs, grid.next(bucketUs));
    const bucket = {
      startUs: Math.max(range.startUs, bucketUs),
      endUs: Math.min(range.endUs, edges[1] as number),
    };
    const read = await readBuckets({ ...source, variableKeys: keysOf(own) }, bucket, edges);
    for (const [i, index] of own.entries()) neighbours.set(index, read[i] as Buckets);
  }
  return neighbours;
}

/** Reads a page in which every bucket of the range stands, whether it has observations or not. */
export async function readFilled(source: BucketSource, page: PageOfBuckets, fill: Fill): Promise<FilledPage> {
  const { variableKeys } = source;
  const { descending, limit, from } = page;
  const steps = Math.ceil((limit + 1) / variableKeys.length) + 1;
  const edges = bucketRun(source, page, firstBucket(source, page), steps);
  const [firstUs, endUs] = [edges[0] as number, edges.at(-1) as number];
  const range = { startUs: Math.max(firstUs, page.startUs), endUs: Math.min(endUs, page.endUs) };
  const read = await readBuckets(source, range, edges);
  const all = { starts: edges.subarray(0, -1), columns: {} };
  const fromOn = variableKeys.map((_, i) => cutBuckets(all, i, { from }, descending));
  const until = positionAfter(fromOn, limit, descending);
  const isEmptyAt = (edge: number | undefined) => (i: number) => !(read[i] as Buckets).starts.includes(edge as number);
  const indexes = [...variableKeys.keys()];
  const looksBack = fill === 'previous' || fill === 'linear';
  const before = await readNeighbours(
    source,
    looksBack ? indexes.filter(isEmptyAt(all.starts[0])) : [],
    { startUs: page.startUs, endUs: range.startUs },
    true,
  );
  const after = await readNeighbours(
    source,
    fill === 'linear' ? indexes.filter(isEmptyAt(all.starts.at(-1))) : [],
    { startUs: range.endUs, endUs: page.endUs },
    false,
  );
  return {
    series: fromOn.map((own, i) => ({
      starts: cutBuckets(own, i, { until }, descending).starts,
      buckets: joinBuckets(joinBuckets(before.get(i) ?? noBuckets, read[i] as Buckets), after.get(i) ?? noBuckets),
    })),
    nextFrom: until,
  };
}
