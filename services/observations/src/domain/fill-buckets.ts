import type { Buckets } from './buckets.js';

/** What stands for a bucket without observations. */
export type Fill = 'none' | 'null' | 'previous' | 'linear';
export const fills: readonly Fill[] = ['none', 'null', 'previous', 'linear'];

/** Which of the series' buckets each bucket of a page is, by position; -1 where it has no observation. */
export function placeBuckets(starts: Float64Array, { starts: own }: Buckets): Int32Array {
  let next = 0;
  return Int32Array.from(starts, (start) => {
    while (next < own.length && (own[next] as number) < start) next++;
    return own[next] === start ? next : -1;
  });
}

/**
 * One value for each bucket of a page. A gap is left null
 * (with `none` too: a bucket that breaks a line), keeps the value before it, or lies on the line
 * between the values beside it, by where buckets start. Null values are values: an aggregate that
 * overflowed is no gap.
 *
 * @param places - see `placeBuckets`
 * @param own - the buckets that have observations, and the values of these
 */
export function fillValues(
  starts: Float64Array,
  places: Int32Array,
  own: { readonly starts: Float64Array; readonly values: Float64Array },
  fill: Fill,
): Float64Array {
  let before = -1;
  return Float64Array.from(starts, (start, i) => {
    const place = places[i] as number;
    if (place !== -1) return own.values[place] as number;
    while (before + 1 < own.starts.length && (own.starts[before + 1] as number) < start) before++;
    if (fill === 'none' || fill === 'null' || before === -1) return Number.NaN;
    const value = own.values[before] as number;
    if (fill === 'previous') return value;
    if (before + 1 === own.starts.length) return Number.NaN;
    const fromUs = own.starts[before] as number;
    const share = (start - fromUs) / ((own.starts[before + 1] as number) - fromUs);
    // of two shares, since the difference of two values may overflow
    return value * (1 - share) + (own.values[before + 1] as number) * share;
  });
}
