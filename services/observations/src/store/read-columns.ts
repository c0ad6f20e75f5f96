import { type BucketColumn, type Buckets, bucketColumns, sortBuckets } from '../domain/buckets.js';
import { doublesFromBytes, instantsFromBytes } from './binary.js';
import type { StoredBuckets } from './buckets.js';

const instants: ReadonlySet<BucketColumn> = new Set(['firstInstants', 'lastInstants', 'minInstants', 'maxInstants']);

/** The buckets of a series from the bytes of their columns, in ascending time. */
export function readColumns(stored: StoredBuckets): Buckets {
  const columns: Partial<Record<BucketColumn, Float64Array>> = {};
  for (const name of bucketColumns) {
    const bytes = stored[name];
    if (bytes !== undefined) columns[name] = instants.has(name) ? instantsFromBytes(bytes) : doublesFromBytes(bytes);
  }
  return sortBuckets({ starts: instantsFromBytes(stored.starts), columns });
}

/** What PostgreSQL says of an arithmetic result that is no double. */
const numericValueOutOfRange = '22003';

/** Whether a statement failed because a sum left the range of a double. */
export function isOverflow(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === numericValueOutOfRange;
}
