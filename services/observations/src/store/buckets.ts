import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { instantArray } from './binary.js';

/** Which observations are put into buckets, and which of the costlier functions are wanted of them. */
export interface BucketArgs {
  readonly projectId: string;
  readonly variableKeys: readonly number[];
  /** Half-open range of instants in microseconds. */
  readonly startUs: number;
  readonly endUs: number;
  readonly wanted: {
    readonly ends: boolean;
    readonly minAt: boolean;
    readonly maxAt: boolean;
    readonly stddev: boolean;
    readonly percentiles: boolean;
    readonly steps: boolean;
  };
}

/** Buckets of one width, counted from an instant that is not after the range's start. */
export interface FixedBucketArgs extends BucketArgs {
  readonly widthUs: number;
  readonly originUs: number;
}

/** Buckets by where each begins and ends. */
export interface EdgeBucketArgs extends BucketArgs {
  readonly startsUs: Float64Array;
  readonly endsUs: Float64Array;
}

/**
 * The buckets of one series that have observations, in any order: a column for each function, of eight
 * bytes a bucket as PostgreSQL sends them (timestamptz or double precision; NaN is null).
 */
export const seriesBuckets = z.object({
  /** Position in the keys asked, from 0. */
  seriesIndex: z.number(),
  starts: z.instanceof(Buffer),
  counts: z.instanceof(Buffer),
  sums: z.instanceof(Buffer),
  minima: z.instanceof(Buffer),
  maxima: z.instanceof(Buffer),
  firsts: z.instanceof(Buffer).optional(),
  lasts: z.instanceof(Buffer).optional(),
  firstInstants: z.instanceof(Buffer).optional(),
  lastInstants: z.instanceof(Buffer).optional(),
  minInstants: z.instanceof(Buffer).optional(),
  maxInstants: z.instanceof(Buffer).optional(),
  stddevs: z.instanceof(Buffer).optional(),
  p05s: z.instanceof(Buffer).optional(),
  medians: z.instanceof(Buffer).optional(),
  p95s: z.instanceof(Buffer).optional(),
  /** Twice the area below the lines between neighbouring observations, in units times microseconds. */
  areas: z.instanceof(Buffer).optional(),
  /** The longest time between neighbouring observations, in microseconds. */
  gaps: z.instanceof(Buffer).optional(),
});

/** The buckets of one series as columns of bytes. */
export type StoredBuckets = z.output<typeof seriesBuckets>;

/** A duration as an `interval` of hours, minutes and seconds alone, which `date_bin` takes. */
export function sqlDuration(us: number): string {
  const seconds = Math.floor(us / 1_000_000);
  const micros = String(us % 1_000_000).padStart(6, '0');
  return `${Math.floor(seconds / 3600)}:${Math.floor(seconds / 60) % 60}:${seconds % 60}.${micros}`;
}

// Rows come from the covering index in the order of time, so that sums run in ascending time and the
// first of a bucket is its first. What is wanted of each is told by filters: a statement has one text.

/**
 * Count, sum, least and greatest value, and the ends, in buckets of one width. Buckets are hashed, which
 * keeps the order of rows within each.
 */
export const selectFixedBuckets = statement(
  seriesBuckets,
  (args: FixedBucketArgs) => sql`
    select asked.number - 1 as series_index, found.*
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select string_agg(timestamptz_send(bucket.start_at), '') as starts,
        string_agg(float8send(bucket.count), '') as counts, string_agg(float8send(bucket.total), '') as sums,
        string_agg(float8send(bucket.minimum), '') as minima, string_agg(float8send(bucket.maximum), '') as maxima,
        string_agg(float8send(bucket.in_order[1]), '') as firsts,
        string_agg(float8send(bucket.in_order[bucket.count]), '') as lasts,
        string_agg(timestamptz_send(bucket.first_at), '') as first_instants,
        string_agg(timestamptz_send(bucket.last_at), '') as last_instants
      from (
        select date_bin(${sqlDuration(args.widthUs)}::interval, observation.at,
            ${sqlInstant(args.originUs)}::timestamptz) as start_at,
          count(*)::int as count, sum(observation.value) as total, min(observation.value) as minimum,
          max(observation.value) as maximum,
          array_agg(observation.value) filter (where ${args.wanted.ends}::bool) as in_order,
          min(observation.at) filter (where ${args.wanted.ends}::bool) as first_at,
          max(observation.at) filter (where ${args.wanted.ends}::bool) as last_at
        from (
          select stored.at, stored.value
          from observations.observations as stored
          where stored.variable_key = series.variable_key
            and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
            and stored.at < ${sqlInstant(args.endUs)}::timestamptz
          order by stored.at
        ) as observation
        group by 1
      ) as bucket
    ) as found
    where found.starts is not null`,
);

/**
 * Count, sum, least and greatest value, and the ends, in any buckets: the rows of each are looked up. The
 * range stands beside the buckets' own, so that partitions outside of it are not even opened.
 */
export const selectEdgeBuckets = statement(
  seriesBuckets,
  (args: EdgeBucketArgs) => sql`
    select asked.number - 1 as series_index, found.*
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select string_agg(timestamptz_send(edge.start_at), '') as starts,
        string_agg(float8send(bucket.count), '') as counts, string_agg(float8send(bucket.total), '') as sums,
        string_agg(float8send(bucket.minimum), '') as minima, string_agg(float8send(bucket.maximum), '') as maxima,
        string_agg(float8send(bucket.in_order[1]), '') as firsts,
        string_agg(float8send(bucket.in_order[bucket.count]), '') as lasts,
        string_agg(timestamptz_send(bucket.first_at), '') as first_instants,
        string_agg(timestamptz_send(bucket.last_at), '') as last_instants
      from unnest(${instantArray(args.startsUs)}::timestamptz[], ${instantArray(args.endsUs)}::timestamptz[])
        as edge (start_at, end_at)
      cross join lateral (
        select count(*)::int as count, sum(observation.value) as total, min(observation.value) as minimum,
          max(observation.value) as maximum,
          array_agg(observation.value) filter (where ${args.wanted.ends}::bool) as in_order,
          min(observation.at) filter (where ${args.wanted.ends}::bool) as first_at,
          max(observation.at) filter (where ${args.wanted.ends}::bool) as last_at
        from (
          select stored.at, stored.value
          from observations.observations as stored
          where stored.variable_key = series.variable_key
            and stored.at >= edge.start_at and stored.at < edge.end_at
            and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
            and stored.at < ${sqlInstant(args.endUs)}::timestamptz
          order by stored.at
        ) as observation
      ) as bucket
      where bucket.count > 0
    ) as found
    where found.starts is not null`,
);
