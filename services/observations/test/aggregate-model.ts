/**
 * Aggregation as plainly as it can be said, over observations in memory. Nothing of the product is used: dates
 * come from `Intl`, one instant after the other.
 */

/** What a reading asks. */
export interface Ask {
  readonly startUs: number;
  readonly endUs: number;
  /** Years and months, weeks, days or microseconds: so many to a bucket. */
  readonly unit: 'year' | 'month' | 'week' | 'day' | 'us';
  readonly count: number;
  readonly timezone: string;
  readonly fill: 'none' | 'null' | 'previous' | 'linear';
}

export type Observation = readonly [atUs: number, value: number];
export type Value = number | boolean | null;

const dayMs = 86_400_000;
const minuteUs = 60_000_000;
const formats = new Map<string, Intl.DateTimeFormat>();
const starts = new Map<string, number>();

/** The local date of an instant as the milliseconds of that date in UTC. */
function localDate(us: number, timezone: string): number {
  let format = formats.get(timezone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: timezone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
    formats.set(timezone, format);
  }
  return Date.parse(`${format.format(Math.floor(us / 1000))}T00:00:00Z`);
}

/** The first minute whose local date is a date or later. */
function startOfDate(date: number, timezone: string): number {
  const key = `${timezone} ${date}`;
  let us = starts.get(key);
  if (us === undefined) {
    us = date * 1000 - 16 * 60 * minuteUs;
    while (localDate(us, timezone) < date) us += 60 * minuteUs;
    // a clock may have been turned back just after it
    us -= 3 * 60 * minuteUs;
    while (localDate(us, timezone) < date) us += minuteUs;
    starts.set(key, us);
  }
  return us;
}

/** The bucket of a number, counted from 2000. */
function startOfBucket(number: number, { unit, count, timezone }: Ask): number {
  const first = number * count;
  if (unit === 'us') return startOfDate(Date.UTC(2000, 0, 1), timezone) + first;
  const day = unit === 'day' ? 1 + first : unit === 'week' ? 3 + 7 * first : 1;
  const months = unit === 'year' ? 12 * first : unit === 'month' ? first : 0;
  return startOfDate(Date.UTC(2000, months, day), timezone);
}

/** The starts of all buckets that a range touches, and the end of the last. */
function bucketsOf(ask: Ask): number[] {
  const unitMs = { year: 366 * dayMs, month: 31 * dayMs, week: 7 * dayMs, day: dayMs, us: 0.001 }[ask.unit];
  let number = Math.floor((ask.startUs / 1000 - Date.UTC(2000, 0, 1)) / (unitMs * ask.count));
  while (startOfBucket(number, ask) > ask.startUs) number--;
  while (startOfBucket(number + 1, ask) <= ask.startUs) number++;
  const edges: number[] = [];
  for (; ; number++) {
    const start = startOfBucket(number, ask);
    if (start !== edges.at(-1)) edges.push(start);
    if (start >= ask.endUs) return edges;
  }
}

/** Null when it overflowed; an answer writes no negative zero. */
const finite = (value: number): number | null => (Number.isFinite(value) ? value + 0 : null);

function percentile(sorted: readonly number[], share: number): number | null {
  const row = share * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(row)] as number, sorted[Math.ceil(row)] as number];
  return finite(low + (row - Math.floor(row)) * (high - low));
}

/** The sample's, as PostgreSQL sums it up (Youngs and Cramer). */
function stddev(values: readonly number[]): number | null {
  let sum = 0;
  let squares = 0;
  values.forEach((value, i) => {
    sum += value;
    const difference = value * (i + 1) - sum;
    if (i > 0) squares += (difference * difference) / ((i + 1) * i);
  });
  return values.length < 2 || !Number.isFinite(sum) ? null : finite(Math.sqrt(squares / (values.length - 1)));
}

function timeWeightedMean(rows: readonly Observation[]): number | null {
  const [first, last] = [rows[0] as Observation, rows.at(-1) as Observation];
  if (rows.length === 1) return first[1];
  let area = 0;
  for (let i = 1; i < rows.length; i++) {
    const [before, row] = [rows[i - 1] as Observation, rows[i] as Observation];
    area += (before[1] + row[1]) * (row[0] - before[0]);
  }
  return finite(area / (2 * (last[0] - first[0])));
}

/** The first instant of a value. */
function firstOf(rows: readonly Observation[], wanted: number): number | null {
  return rows.find(([, value]) => value === wanted)?.[0] ?? null;
}

/** Every function over the observations of a bucket, which are in ascending time. */
export const functions: Readonly<Record<string, (rows: readonly Observation[]) => number | null>> = {
  mean: (rows) => finite(rows.reduce((sum, [, value]) => sum + value, 0) / rows.length),
  min: (rows) => Math.min(...rows.map(([, value]) => value)),
  max: (rows) => Math.max(...rows.map(([, value]) => value)),
  sum: (rows) => finite(rows.reduce((sum, [, value]) => sum + value, 0)),
  count: (rows) => rows.length,
  first: (rows) => rows[0]?.[1] ?? null,
  last: (rows) => rows.at(-1)?.[1] ?? null,
  stddev: (rows) => stddev(rows.map(([, value]) => value)),
  median: (rows) =>
    percentile(
      rows.map(([, value]) => value).sort((a, b) => a - b),
      0.5,
    ),
  range: (rows) => finite(Math.max(...rows.map(([, value]) => value)) - Math.min(...rows.map(([, value]) => value))),
  p05: (rows) =>
    percentile(
      rows.map(([, value]) => value).sort((a, b) => a - b),
      0.05,
    ),
  p95: (rows) =>
    percentile(
      rows.map(([, value]) => value).sort((a, b) => a - b),
      0.95,
    ),
  time_weighted_mean: timeWeightedMean,
  min_at: (rows) => firstOf(rows, Math.min(...rows.map(([, value]) => value))),
  max_at: (rows) => firstOf(rows, Math.max(...rows.map(([, value]) => value))),
};

/** The columns of one series, as all pages of an answer have them together in ascending order. */
export function aggregate(rows: readonly Observation[], names: readonly string[], ask: Ask): Record<string, Value[]> {
  const edges = bucketsOf(ask);
  const inRange = rows.filter(([at]) => at >= ask.startUs && at < ask.endUs);
  const buckets = edges.slice(0, -1).map((start, i) => {
    const end = edges[i + 1] as number;
    return { start, end, rows: inRange.filter(([at]) => at >= start && at < end) };
  });
  const shown = ask.fill === 'none' ? buckets.filter((bucket) => bucket.rows.length > 0) : buckets;
  const columns: Record<string, Value[]> = {
    timestamps: shown.map(({ start }) => start),
    complete: shown.map(({ start, end }) => ask.startUs <= start && end <= ask.endUs),
  };
  for (const name of names) {
    const of = functions[name] as (rows: readonly Observation[]) => number | null;
    columns[name] = shown.map((bucket) => {
      if (bucket.rows.length > 0) return of(bucket.rows);
      if (name === 'count') return 0;
      if (ask.fill === 'null' || name.endsWith('_at')) return null;
      const before = shown.findLast((each) => each.start < bucket.start && each.rows.length > 0);
      const after = shown.find((each) => each.start > bucket.start && each.rows.length > 0);
      const from = before === undefined ? null : of(before.rows);
      if (before === undefined || from === null || ask.fill === 'previous') return from;
      const to = after === undefined ? null : of(after.rows);
      if (after === undefined || to === null) return null;
      const share = (bucket.start - before.start) / (after.start - before.start);
      return finite(from * (1 - share) + to * share);
    });
  }
  return columns;
}

/** Numbers from 0 to 1 that are the same in every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
