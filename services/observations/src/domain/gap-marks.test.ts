import { expect, test } from 'vitest';
import { type Buckets, noBuckets } from './buckets.js';
import { type Around, breakAtGaps, gapFlags } from './gap-marks.js';

/** Buckets of ten: each by its first and last instant, and the longest time between two within. */
function bucketsOf(...each: readonly [first: number, last: number, gap: number][]): Buckets {
  const column = (of: (part: readonly [number, number, number]) => number) => Float64Array.from(each, of);
  return {
    starts: column(([first]) => Math.floor(first / 10) * 10),
    columns: {
      counts: column(() => 2),
      firstInstants: column(([first]) => first),
      lastInstants: column(([, last]) => last),
      gaps: column(([, , gap]) => gap),
    },
  };
}
/** All that is known of a range from 0 to 80 with nothing before it. */
const around: Around = {
  lastBeforeUs: Number.NaN,
  firstStartUs: 0,
  untilUs: 80,
  next: (startUs) => startUs + 10,
};

test('a bucket with nulls stands in a gap that spans one, and nowhere else', () => {
  // 9 to 20 is too long and spans a bucket, 28 to 43 is as long as may be, 48 to 55 is too short to span one
  const buckets = bucketsOf([1, 9, 2], [20, 28, 2], [43, 48, 2], [59, 59, 0]);
  expect([...breakAtGaps(buckets, 10.5, { ...around, untilUs: 60 })]).toEqual([0, 10, 20, 30, 40, 50]);
  expect([...breakAtGaps(bucketsOf([1, 9, 2], [20, 28, 2]), 11, { ...around, untilUs: 30 })]).toEqual([0, 20]);
});

test('a bucket with nulls stands at the ends of a range too, where nothing came since the last one before', () => {
  const buckets = bucketsOf([21, 29, 2], [30, 38, 2]);
  expect([...breakAtGaps(buckets, 10, { ...around, lastBeforeUs: -5 })]).toEqual([0, 20, 30, 40]);
  // what is in the range's own first and last bucket leaves no room for one
  expect([...breakAtGaps(buckets, 10, { ...around, lastBeforeUs: 5, firstStartUs: 20, untilUs: 40 })]).toEqual([
    20, 30,
  ]);
  // as long as may be, on both sides; and nothing was ever before
  expect([...breakAtGaps(buckets, 10, { ...around, lastBeforeUs: 11, untilUs: 48 })]).toEqual([20, 30]);
  expect([...breakAtGaps(buckets, 10, { ...around, untilUs: 48 })]).toEqual([20, 30]);
});

test('a range without observations is a gap when one came before it, and a range that is to come has no buckets', () => {
  const places = Int32Array.of(-1, -1);
  const silent = { ...around, lastBeforeUs: -5, untilUs: 20 };
  expect([...breakAtGaps(noBuckets, 10, silent)]).toEqual([0]);
  expect(gapFlags(noBuckets, places, 10, silent)).toEqual([true, true]);
  expect([...breakAtGaps(noBuckets, 30, silent)]).toEqual([]);
  expect(gapFlags(noBuckets, places, 30, silent)).toEqual([false, false]);
  const unknown = { ...silent, lastBeforeUs: Number.NaN };
  expect([...breakAtGaps(noBuckets, 10, unknown)]).toEqual([]);
  expect(gapFlags(noBuckets, places, 10, unknown)).toEqual([false, false]);
  expect([...breakAtGaps(noBuckets, 10, { ...around, lastBeforeUs: -50, untilUs: -20 })]).toEqual([]);
});

test('a gap is flagged within a bucket, across an edge, and in the empty buckets that it spans', () => {
  const buckets = bucketsOf([1, 9, 8], [12, 13, 1], [20, 21, 1], [55, 56, 1], [60, 69, 9]);
  const places = Int32Array.of(0, 1, 2, -1, -1, 3, 4, -1);
  const whole = { ...around, untilUs: 75 };
  expect(gapFlags(buckets, places, 6, whole)).toEqual([true, false, true, true, true, true, true, false]);
  expect(gapFlags(buckets, places, 34, whole)).toEqual([false, false, false, false, false, false, false, false]);
  expect(gapFlags(buckets, places, Number.POSITIVE_INFINITY, whole)).toEqual(
    places.reduce<boolean[]>((all) => [...all, false], []),
  );
});

test('a gap is flagged since the last observation before the range, and after the last one until now', () => {
  const buckets = bucketsOf([25, 29, 2], [31, 33, 2]);
  const places = Int32Array.of(-1, -1, 0, 1, -1, -1);
  const flags = (deviations: Partial<Around>) => gapFlags(buckets, places, 6, { ...around, ...deviations });
  expect(flags({ lastBeforeUs: 18, untilUs: 60 })).toEqual([true, true, true, true, true, true]);
  expect(flags({ lastBeforeUs: 19, untilUs: 39 })).toEqual([false, false, false, false, false, false]);
  // the last bucket goes on without an observation for 7, which have passed just now
  expect(flags({ untilUs: 40 })).toEqual([false, false, false, true, true, true]);
});
