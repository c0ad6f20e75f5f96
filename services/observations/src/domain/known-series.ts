import type { Series } from '@weir/expression';

/** What was read of a series. */
export interface KnownSeries extends Series {
  /** All that was asked for is known before this instant; infinite where nothing was left out. */
  readonly untilUs: number;
}

/** No observation. */
export const noSeries: KnownSeries = {
  atUs: new Float64Array(0),
  values: new Float64Array(0),
  untilUs: Number.POSITIVE_INFINITY,
};

/** How many of ascending instants come before `us`. */
export function countBefore(instantsUs: Float64Array, us: number): number {
  let low = 0;
  let high = instantsUs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((instantsUs[middle] as number) < us) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ascending instants of both, each once. */
export function mergeInstants(a: Float64Array, b: Float64Array): Float64Array {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const merged = new Float64Array(a.length + b.length);
  let count = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const x = i < a.length ? (a[i] as number) : Number.POSITIVE_INFINITY;
    const y = j < b.length ? (b[j] as number) : Number.POSITIVE_INFINITY;
    merged[count++] = Math.min(x, y);
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return merged.subarray(0, count);
}

/** Observations of both; where both have one it is the same. */
export function mergeSeries(a: Series, b: Series): Series {
  if (a.atUs.length === 0) return b;
  if (b.atUs.length === 0) return a;
  const atUs = mergeInstants(a.atUs, b.atUs);
  const values = new Float64Array(atUs.length);
  for (let at = 0, i = 0, j = 0; at < atUs.length; at++) {
    const us = atUs[at] as number;
    values[at] = a.atUs[i] === us ? (a.values[i] as number) : (b.values[j] as number);
    if (a.atUs[i] === us) i++;
    if (b.atUs[j] === us) j++;
  }
  return { atUs, values };
}
