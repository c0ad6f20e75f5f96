import type { Wanted } from './aggregate-functions.js';

/** Lengths of rollups in microseconds, the longest first. */
const lengthsUs = [3_600_000_000, 900_000_000] as const;
/** A range with fewer whole lengths than this is read from observations. */
const lengthsMin = 32;

/** Rollups that a range can be read from. */
export interface RollupRange {
  readonly lengthUs: number;
  /** The whole lengths within the range. */
  readonly wholeStartUs: number;
  readonly wholeEndUs: number;
}

/**
 * The longest rollups that buckets can be put together from: all of these must begin where one of those
 * does, and nothing must be asked that looks at the values themselves.
 */
export function rollupRange(
  edges: Float64Array,
  range: { readonly startUs: number; readonly endUs: number },
  { stddev, percentiles }: Wanted,
): RollupRange | undefined {
  if (stddev || percentiles) return undefined;
  const lengthUs = lengthsUs.find((length) => edges.every((edge) => edge % length === 0));
  if (lengthUs === undefined) return undefined;
  const wholeStartUs = Math.ceil(range.startUs / lengthUs) * lengthUs;
  const wholeEndUs = Math.floor(range.endUs / lengthUs) * lengthUs;
  return wholeEndUs - wholeStartUs < lengthsMin * lengthUs ? undefined : { lengthUs, wholeStartUs, wholeEndUs };
}
