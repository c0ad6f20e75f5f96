import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { instantArray } from './binary.js';
import { type BucketArgs, seriesBuckets, sqlDuration } from './buckets.js';

/** Those of several series of a project that have rollups. */
export const selectRolledSeries = statement(
  z.object({ variableKey: z.number() }),
  (args: { projectId: string; variableKeys: readonly number[] }) => sql`
    select series.variable_key
    from observations.series
    join observations.rollup_states as state on state.variable_key = series.variable_key
    where series.variable_key = any(${args.variableKeys}::bigint[]) and series.project_id = ${args.projectId}::uuid`,
);

/** Buckets whose edges are whole lengths of rollups. */
export interface RolledBucketArgs extends BucketArgs {
  /** Where the buckets begin, and where the last one ends. */
  readonly edgesUs: Float64Array;
  /** Their width where it is one; a bucket is found sooner by it than among edges. */
  readonly widthUs: number | undefined;
  /** Length of the rollups that are read. */
  readonly lengthUs: number;
  /** The whole lengths within the range. */
  readonly wholeStartUs: number;
  readonly wholeEndUs: number;
}

const width = ({ widthUs }: RolledBucketArgs): string | null => (widthUs === undefined ? null : sqlDuration(widthUs));

// Each bucket is put together from parts: rollups where these are true, and observations elsewhere: at the
// edges of the range, in what was changed after the rollups were made, and after these end. All of it is told
// by one snapshot. They are added up in ascending time, whatever else is asked. `offset 0` keeps the planner from
// reading all rows of the range to join the parts to them. A total or an area is NaN where values are so large that a
// sum of such might overflow.

/** Count, sum, least and greatest value of series that have rollups. */
export const selectRolledBuckets = statement(
  seriesBuckets,
  (args: RolledBucketArgs) => sql`
    select asked.number - 1 as series_index, found.*
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select coalesce(observations.rolled_ranges(series.variable_key, ${sqlDuration(args.lengthUs)}::interval,
        ${sqlInstant(args.wholeStartUs)}::timestamptz, ${sqlInstant(args.wholeEndUs)}::timestamptz), '{}') as ranges
    ) as rolled
    cross join lateral (
      select string_agg(timestamptz_send(bucket.start_at), '') as starts,
        string_agg(float8send(bucket.count), '') as counts, string_agg(float8send(bucket.total), '') as sums,
        string_agg(float8send(bucket.minimum), '') as minima, string_agg(float8send(bucket.maximum), '') as maxima
      from (
        select
          case when ${width(args)}::interval is null
            then (${instantArray(args.edgesUs)}::timestamptz[])[
              width_bucket(part.at, ${instantArray(args.edgesUs)}::timestamptz[])]
            else date_bin(${width(args)}::interval, part.at, ${sqlInstant(args.edgesUs[0])}::timestamptz)
          end as start_at,
          sum(part.count)::double precision as count, sum(part.total) as total, min(part.minimum) as minimum,
          max(part.maximum) as maximum
        from (
          select range, true as is_rolled from unnest(rolled.ranges) as range
          union all
          select range, false
          from unnest(tstzmultirange(tstzrange(${sqlInstant(args.startUs)}::timestamptz,
            ${sqlInstant(args.endUs)}::timestamptz)) - rolled.ranges) as range
          order by range
        ) as stretch
        cross join lateral (
          (
            select rollup.start_at as at, rollup.count, rollup.total, rollup.minimum, rollup.maximum
            from observations.rollups as rollup
            where stretch.is_rolled and rollup.variable_key = series.variable_key
              and rollup.length_s = ${args.lengthUs / 1_000_000}::smallint
              and rollup.start_at >= lower(stretch.range) and rollup.start_at < upper(stretch.range)
            order by rollup.start_at
            offset 0
          )
          union all
          (
            select stored.at, 1, stored.value, stored.value, stored.value
            from observations.observations as stored
            where not stretch.is_rolled and stored.variable_key = series.variable_key
              and stored.at >= lower(stretch.range) and stored.at < upper(stretch.range)
              and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
              and stored.at < ${sqlInstant(args.endUs)}::timestamptz
            order by stored.at
            offset 0
          )
        ) as part
        group by 1
      ) as bucket
    ) as found
    where found.starts is not null`,
);

/** The same with the ends, the instants of extremes, and what lies between neighbours. */
export const selectRolledSteps = statement(
  seriesBuckets,
  (args: RolledBucketArgs) => sql`
    select asked.number - 1 as series_index, found.*
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select coalesce(observations.rolled_ranges(series.variable_key, ${sqlDuration(args.lengthUs)}::interval,
        ${sqlInstant(args.wholeStartUs)}::timestamptz, ${sqlInstant(args.wholeEndUs)}::timestamptz), '{}') as ranges
    ) as rolled
    cross join lateral (
      select string_agg(timestamptz_send(bucket.start_at), '') as starts,
        string_agg(float8send(bucket.count), '') as counts, string_agg(float8send(bucket.total), '') as sums,
        string_agg(float8send(bucket.minimum), '') as minima, string_agg(float8send(bucket.maximum), '') as maxima,
        string_agg(float8send(bucket.firsts[1]), '') as firsts,
        string_agg(float8send(bucket.lasts[bucket.parts]), '') as lasts,
        string_agg(timestamptz_send(bucket.first_at), '') as first_instants,
        string_agg(timestamptz_send(bucket.last_at), '') as last_instants,
        string_agg(timestamptz_send(bucket.min_at), '') as min_instants,
        string_agg(timestamptz_send(bucket.max_at), '') as max_instants,
        string_agg(float8send(bucket.area), '') as areas, string_agg(float8send(bucket.gap_us), '') as gaps
      from (
        select step.start_at, count(*)::int as parts, sum(step.count)::double precision as count,
          sum(step.total) as total, min(step.minimum) as minimum, max(step.maximum) as maximum,
          array_agg(step.first) as firsts, array_agg(step.last) as lasts,
          min(step.first_at) as first_at, max(step.last_at) as last_at,
          (array_agg(step.min_at order by step.minimum, step.min_at)
            filter (where ${args.wanted.minAt}::bool))[1] as min_at,
          (array_agg(step.max_at order by step.maximum desc, step.max_at)
            filter (where ${args.wanted.maxAt}::bool))[1] as max_at,
          sum(step.area) + coalesce(sum((step.previous + step.first) * step.pause_us), 0) as area,
          greatest(max(step.gap_us), max(step.pause_us)) as gap_us
        from (
          select own.*, lag(own.last) over in_time as previous,
            round(date_part('epoch', own.first_at - lag(own.last_at) over in_time) * 1000000) as pause_us
          from (
            select
              case when ${width(args)}::interval is null
                then (${instantArray(args.edgesUs)}::timestamptz[])[
                  width_bucket(part.first_at, ${instantArray(args.edgesUs)}::timestamptz[])]
                else date_bin(${width(args)}::interval, part.first_at, ${sqlInstant(args.edgesUs[0])}::timestamptz)
              end as start_at, part.*
            from (
              select made.*
              from unnest(rolled.ranges) as range
              cross join lateral (
                select rollup.count, rollup.total, rollup.minimum, rollup.maximum, rollup.first, rollup.last,
                  rollup.first_at, rollup.last_at, rollup.min_at, rollup.max_at, rollup.area, rollup.gap_us
                from observations.rollups as rollup
                where rollup.variable_key = series.variable_key
                  and rollup.length_s = ${args.lengthUs / 1_000_000}::smallint
                  and rollup.start_at >= lower(range) and rollup.start_at < upper(range)
                offset 0
              ) as made
              union all
              select 1, observation.value, observation.value, observation.value, observation.value,
                observation.value, observation.at, observation.at, observation.at, observation.at, 0, 0
              from unnest(tstzmultirange(tstzrange(${sqlInstant(args.startUs)}::timestamptz,
                ${sqlInstant(args.endUs)}::timestamptz)) - rolled.ranges) as range
              cross join lateral (
                select stored.at, stored.value
                from observations.observations as stored
                where stored.variable_key = series.variable_key
                  and stored.at >= lower(range) and stored.at < upper(range)
                  and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
                  and stored.at < ${sqlInstant(args.endUs)}::timestamptz
                offset 0
              ) as observation
            ) as part
          ) as own
          window in_time as (partition by own.start_at order by own.first_at)
        ) as step
        group by step.start_at
      ) as bucket
    ) as found
    where found.starts is not null`,
);
