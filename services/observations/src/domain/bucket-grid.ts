import { daysFromCivil, type Interval, type Zone, zoneOf } from '@weir/kit/time';

/** The buckets of an interval in a zone: they cover all of time, and each begins where the one before ends. */
export interface BucketGrid {
  /** The start of the bucket that an instant lies in. */
  floor(us: number): number;
  /** The start of the bucket after the one that starts at `startUs`. */
  next(startUs: number): number;
  /** How long every bucket is; absent where that differs. */
  readonly widthUs?: number;
}

/** Days from 1970 to 2000-01-01, where hours and days are counted from, and to the Monday after it, for weeks. */
const epochDay = daysFromCivil(2000, 1, 1);
const epochMonday = epochDay + 2;

/** Hours, minutes and seconds: absolute, counted from local midnight of 2000-01-01. */
function fixedGrid(widthUs: number, zone: Zone): BucketGrid {
  const phaseUs = zone.startOfDay(epochDay) % widthUs;
  return {
    widthUs,
    // by remainders alone, which are exact: a difference of instants may be no safe integer
    floor: (us) => us - (((((us % widthUs) - phaseUs) % widthUs) + widthUs) % widthUs),
    next: (startUs) => startUs + widthUs,
  };
}

/** How units of a calendar are numbered: 0 begins at the count's epoch. */
interface Units {
  /** The number of the unit that a day (from 1970) lies in. */
  readonly numberOf: (day: number) => number;
  /** The first day of a unit. */
  readonly firstDay: (number: number) => number;
}

const units: Readonly<Record<Exclude<Interval['unit'], 'microsecond'>, Units>> = {
  day: { numberOf: (day) => day - epochDay, firstDay: (number) => number + epochDay },
  week: {
    numberOf: (day) => Math.floor((day - epochMonday) / 7),
    firstDay: (number) => number * 7 + epochMonday,
  },
  month: {
    numberOf: (day) => {
      const date = new Date(day * 86_400_000);
      return (date.getUTCFullYear() - 2000) * 12 + date.getUTCMonth();
    },
    firstDay: (number) => {
      const year = Math.floor(number / 12);
      return daysFromCivil(2000 + year, number - year * 12 + 1, 1);
    },
  },
};

/** Years, months, ISO weeks and days: those of the calendar in the zone. */
function calendarGrid({ unit, count }: Interval & { unit: keyof typeof units }, zone: Zone): BucketGrid {
  const { numberOf, firstDay } = units[unit];
  const startOf = (bucket: number): number => zone.startOfDay(firstDay(bucket * count));
  /** The last bucket that starts at an instant or before it: one of no length, such as a date that does not exist, is none. */
  const bucketAt = (us: number): number => {
    // an hour that comes twice may lie in a date that has ended before it
    let bucket = Math.floor(numberOf(zone.dayAt(us) + 1) / count) + 1;
    while (startOf(bucket) > us) bucket--;
    return bucket;
  };
  return {
    floor: (us) => startOf(bucketAt(us)),
    next: (startUs) => startOf(bucketAt(startUs) + 1),
  };
}

/** The buckets of an interval in a zone that `isTimezone` knows. */
export function bucketGrid({ unit, count }: Interval, timezone: string): BucketGrid {
  const zone = zoneOf(timezone);
  return unit === 'microsecond' ? fixedGrid(count, zone) : calendarGrid({ unit, count }, zone);
}

/**
 * The starts of so many buckets, the first being the one that `fromUs` lies in, and the end of the
 * last; fewer where `untilUs` comes before.
 */
export function bucketEdges(grid: BucketGrid, fromUs: number, untilUs: number, bucketsMax: number): Float64Array {
  const edges = [grid.floor(fromUs)];
  for (let edge = edges[0] as number; edge < untilUs && edges.length <= bucketsMax; ) {
    edge = grid.next(edge);
    edges.push(edge);
  }
  return Float64Array.from(edges);
}
