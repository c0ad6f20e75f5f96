import { expect, test } from 'vitest';
import type { Buckets } from './buckets.js';
import { breakAtGaps, gapFlags } from './gap-marks.js';

/** Buckets of ten: each by its first and last instant, and the longest time between two within. */
function bucketsOf(...each: readonly [first: number, last: number, gap: number][]): Buckets {
  const column = (of: (part: readonly [number, number, number]) => number) => Float64Array.from(each, of);
  return {
    starts: column(([first]) => Math.floor(first / 10) * 10),
    columns: {
      counts: column(() => 2),
      maxima: column(([first]) => first),
      firstInstants: column(([first]) => first),
      lastInstants: column(([, last]) => last),
      gaps: column(([, , gap]) => gap),
    },
  };
}
const next = (startUs: number): number => startUs + 10;

test('a bucket with nulls stands in a gap that spans one, and nowhere else', () => {
  // 9 to 20 is too long and spans a bucket, 28 to 43 is as long as may be, 48 to 55 is too short to span one
  const broken = breakAtGaps(bucketsOf([1, 9, 2], [20, 28, 2], [43, 48, 2], [59, 59, 0]), 10.5, next);
  expect([...broken.starts]).toEqual([0, 10, 20, 30, 40, 50]);
  expect([...(broken.columns.maxima ?? [])]).toEqual([1, Number.NaN, 20, Number.NaN, 43, 59]);
  expect([...(broken.columns.counts ?? [])]).toEqual([2, 0, 2, 0, 2, 2]);
  const whole = bucketsOf([1, 9, 2], [20, 28, 2]);
  expect(breakAtGaps(whole, 11, next)).toBe(whole);
});

test('a gap is flagged within a bucket, across an edge, and in the empty buckets that it spans', () => {
  const buckets = bucketsOf([1, 9, 8], [12, 13, 1], [20, 21, 1], [55, 56, 1], [60, 69, 9]);
  const places = Int32Array.of(0, 1, 2, -1, -1, 3, 4, -1);
  expect(gapFlags(buckets, places, 6)).toEqual([true, false, true, true, true, true, true, false]);
  expect(gapFlags(buckets, places, 34)).toEqual([false, false, false, false, false, false, false, false]);
  expect(gapFlags(buckets, places, Number.POSITIVE_INFINITY)).toEqual(
    places.reduce<boolean[]>((all) => [...all, false], []),
  );
});
