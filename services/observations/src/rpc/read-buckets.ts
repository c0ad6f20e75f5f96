import type { Db } from '@weir/kit/sql';
import type { Wanted } from '../domain/aggregate-functions.js';
import type { BucketGrid } from '../domain/bucket-grid.js';
import { type Buckets, noBuckets } from '../domain/buckets.js';
import { selectEdgeBuckets, selectFixedBuckets } from '../store/buckets.js';
import { selectCostlyBuckets } from '../store/costly-buckets.js';
import { isOverflow, readColumns } from '../store/read-columns.js';
import { asQueryLimit } from './query-limit.js';

/** What buckets are read of. */
export interface BucketSource {
  readonly db: Db;
  readonly projectId: string;
  readonly variableKeys: readonly number[];
  readonly grid: BucketGrid;
  readonly wanted: Wanted;
}

/**
 * The buckets of each series that have observations in a range, by where they begin.
 *
 * @param edges - where the buckets begin that the range touches, and where the last one ends
 */
export async function readBuckets(
  { db, projectId, variableKeys, grid, wanted }: BucketSource,
  range: { readonly startUs: number; readonly endUs: number },
  edges: Float64Array,
): Promise<Buckets[]> {
  const args = { projectId, variableKeys, ...range, wanted };
  const byEdges = { ...args, startsUs: edges.subarray(0, -1), endsUs: edges.subarray(1) };
  const { minAt, maxAt, stddev, percentiles, steps } = wanted;
  const read = async () => {
    if (minAt || maxAt || stddev || percentiles || steps)
      return await selectCostlyBuckets.all(db, { ...byEdges, overflows: false });
    if (grid.widthUs === undefined) return await selectEdgeBuckets.all(db, byEdges);
    return await selectFixedBuckets.all(db, { ...args, widthUs: grid.widthUs, originUs: edges[0] as number });
  };
  const stored = await asQueryLimit(
    read().catch(async (error: unknown) => {
      if (!isOverflow(error)) throw error;
      return await selectCostlyBuckets.all(db, { ...byEdges, overflows: true });
    }),
  );
  const series: Buckets[] = variableKeys.map(() => noBuckets);
  for (const each of stored) series[each.seriesIndex] = readColumns(each);
  return series;
}
