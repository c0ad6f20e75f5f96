import type { Db } from '@weir/kit/sql';
import type { Wanted } from '../domain/aggregate-functions.js';
import type { BucketGrid } from '../domain/bucket-grid.js';
import { type Buckets, columnOf, noBuckets } from '../domain/buckets.js';
import { type RollupRange, rollupRange } from '../domain/rollup-length.js';
import { type StoredBuckets, selectEdgeBuckets, selectFixedBuckets } from '../store/buckets.js';
import { selectCostlyBuckets } from '../store/costly-buckets.js';
import { isOverflow, readColumns } from '../store/read-columns.js';
import { selectRolledBuckets, selectRolledSeries, selectRolledSteps } from '../store/rolled-buckets.js';
import { asQueryLimit } from './query-limit.js';
import { requireScan } from './scan-limit.js';

/** What buckets are read of. */
export interface BucketSource {
  readonly db: Db;
  readonly projectId: string;
  readonly variableKeys: readonly number[];
  readonly grid: BucketGrid;
  readonly wanted: Wanted;
  /** Observations that may be read for one stretch of buckets. */
  readonly observationsMax: number;
}

/** A half-open range, and where the buckets begin that it touches; the last edge is where the last one ends. */
interface Stretch {
  readonly startUs: number;
  readonly endUs: number;
  readonly edges: Float64Array;
}

function toSeries(variableKeys: readonly number[], stored: readonly StoredBuckets[]): Buckets[] {
  const series: Buckets[] = variableKeys.map(() => noBuckets);
  for (const each of stored) series[each.seriesIndex] = readColumns(each);
  return series;
}

/** Reads buckets from the observations themselves. */
async function readRaw(
  { db, projectId, variableKeys, grid, wanted, observationsMax }: BucketSource,
  { startUs, endUs, edges }: Stretch,
): Promise<Buckets[]> {
  await requireScan(db, { projectId, variableKeys, startUs, endUs }, observationsMax);
  const args = { projectId, variableKeys, startUs, endUs, wanted };
  const byEdges = { ...args, startsUs: edges.subarray(0, -1), endsUs: edges.subarray(1) };
  const { minAt, maxAt, stddev, percentiles, steps } = wanted;
  const read = async (): Promise<StoredBuckets[]> => {
    if (minAt || maxAt || stddev || percentiles || steps)
      return await selectCostlyBuckets.all(db, { ...byEdges, overflows: false });
    if (grid.widthUs === undefined) return await selectEdgeBuckets.all(db, byEdges);
    return await selectFixedBuckets.all(db, { ...args, widthUs: grid.widthUs, originUs: edges[0] as number });
  };
  const stored = await read().catch(async (error: unknown) => {
    if (!isOverflow(error)) throw error;
    return await selectCostlyBuckets.all(db, { ...byEdges, overflows: true });
  });
  return toSeries(variableKeys, stored);
}

/** Reads buckets of series that have rollups from these; undefined where values are too large to be added up so. */
async function readRolled(
  { db, projectId, variableKeys, grid, wanted }: BucketSource,
  { startUs, endUs, edges }: Stretch,
  rollups: RollupRange,
): Promise<Buckets[] | undefined> {
  const { widthUs } = grid;
  const args = { projectId, variableKeys, startUs, endUs, wanted, edgesUs: edges, widthUs, ...rollups };
  const { ends, minAt, maxAt, steps } = wanted;
  const statement = ends || minAt || maxAt || steps ? selectRolledSteps : selectRolledBuckets;
  const stored = await statement.all(db, args).catch((error: unknown) => {
    if (!isOverflow(error)) throw error;
    return undefined;
  });
  if (stored === undefined) return undefined;
  const series = toSeries(variableKeys, stored);
  const isTold = (each: Buckets): boolean =>
    !columnOf(each, 'sums').some(Number.isNaN) && !columnOf(each, 'areas').some(Number.isNaN);
  return series.every(isTold) ? series : undefined;
}

async function readSeries(source: BucketSource, stretch: Stretch): Promise<Buckets[]> {
  const { db, projectId, variableKeys, wanted } = source;
  const rollups = rollupRange(stretch.edges, stretch, wanted);
  if (rollups === undefined) return await readRaw(source, stretch);
  const found = await selectRolledSeries.all(db, { projectId, variableKeys });
  const known = new Set(found.map(({ variableKey }) => variableKey));
  const read = async (isRolled: boolean): Promise<Map<number, Buckets>> => {
    const keys = variableKeys.filter((key) => known.has(key) === isRolled);
    if (keys.length === 0) return new Map();
    const own = { ...source, variableKeys: keys };
    const rolled = isRolled ? await readRolled(own, stretch, rollups) : undefined;
    const series = rolled ?? (await readRaw(own, stretch));
    return new Map(keys.map((key, i) => [key, series[i] as Buckets]));
  };
  const [rolled, raw] = [await read(true), await read(false)];
  return variableKeys.map((key) => rolled.get(key) ?? raw.get(key) ?? noBuckets);
}

/**
 * The buckets of each series that have observations in a range.
 *
 * @param edges - where the buckets begin that the range touches, and where the last one ends
 */
export async function readBuckets(
  source: BucketSource,
  range: { readonly startUs: number; readonly endUs: number },
  edges: Float64Array,
): Promise<Buckets[]> {
  return await asQueryLimit(readSeries(source, { ...range, edges }));
}
