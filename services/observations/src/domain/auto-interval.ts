import type { Interval } from '@weir/kit/time';
import { bucketEdges, bucketGrid } from './bucket-grid.js';

const us = (count: number): Interval => ({ unit: 'microsecond', count });
const secondUs = 1_000_000;

/** What people read a chart by, from a microsecond to a thousand years. */
const ladder: readonly Interval[] = [
  ...[1, 10, 100, 1000, 10_000, 100_000].flatMap((step) => [us(step), us(2 * step), us(5 * step)]),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => us(seconds * secondUs)),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => us(minutes * 60 * secondUs)),
  ...[1, 2, 3, 6, 12].map((hours) => us(hours * 3600 * secondUs)),
  { unit: 'day', count: 1 },
  { unit: 'week', count: 1 },
  ...[1, 3, 6].map((count): Interval => ({ unit: 'month', count })),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((years): Interval => ({ unit: 'month', count: years * 12 })),
];

/** More than a unit ever lasted. */
const mostUs = {
  month: 33 * 86_400 * secondUs,
  week: 9 * 86_400 * secondUs,
  day: 2.5 * 86_400 * secondUs,
  microsecond: 1,
};

/** The shortest interval of the ladder that gives a range at most so many buckets; at least two must be allowed. */
export function autoInterval(startUs: number, endUs: number, pointsMax: number, timezone: string): Interval {
  const found = ladder.find((interval) => {
    const { unit, count } = interval;
    // spares most of the ladder the counting of its buckets
    if (endUs - startUs > pointsMax * count * mostUs[unit]) return false;
    const edges = bucketEdges(bucketGrid(interval, timezone), startUs, endUs, pointsMax);
    return (edges.at(-1) as number) >= endUs;
  });
  if (found === undefined) throw new RangeError('no interval is long enough');
  return found;
}
