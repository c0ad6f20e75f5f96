import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { instantArray } from './binary.js';
import { type EdgeBucketArgs, seriesBuckets } from './buckets.js';

/**
 * Every function, in any buckets: those that sort the values of a bucket or look from one observation to
 * the next. With `overflows`, sums that leave the range of a double become NaN where PostgreSQL's own
 * would end the statement, at many times the cost; all else comes out the same, bit by bit.
 */
export const selectCostlyBuckets = statement(
  seriesBuckets,
  (args: EdgeBucketArgs & { readonly overflows: boolean }) => sql`
    select asked.number - 1 as series_index, found.*
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select string_agg(timestamptz_send(edge.start_at), '') as starts,
        string_agg(float8send(bucket.count), '') as counts,
        string_agg(float8send(coalesce(bucket.total, bucket.total_or_nan)), '') as sums,
        string_agg(float8send(bucket.minimum), '') as minima, string_agg(float8send(bucket.maximum), '') as maxima,
        string_agg(float8send(bucket.in_order[1]), '') as firsts,
        string_agg(float8send(bucket.in_order[bucket.count]), '') as lasts,
        string_agg(timestamptz_send(bucket.first_at), '') as first_instants,
        string_agg(timestamptz_send(bucket.last_at), '') as last_instants,
        string_agg(timestamptz_send(bucket.min_at), '') as min_instants,
        string_agg(timestamptz_send(bucket.max_at), '') as max_instants,
        string_agg(float8send(coalesce(bucket.deviation, bucket.deviation_or_nan, 'NaN')), '') as stddevs,
        string_agg(float8send(bucket.percentiles[1]), '') as p05s,
        string_agg(float8send(bucket.percentiles[2]), '') as medians,
        string_agg(float8send(bucket.percentiles[3]), '') as p95s,
        string_agg(float8send(coalesce(bucket.area, bucket.area_or_nan, 0)), '') as areas,
        string_agg(float8send(coalesce(bucket.gap_us, 0)), '') as gaps
      from unnest(${instantArray(args.startsUs)}::timestamptz[], ${instantArray(args.endsUs)}::timestamptz[])
        as edge (start_at, end_at)
      cross join lateral (
        select count(*)::int as count,
          sum(step.value) filter (where not ${args.overflows}::bool) as total,
          observations.sum_or_nan(step.value) filter (where ${args.overflows}::bool) as total_or_nan,
          min(step.value) as minimum, max(step.value) as maximum,
          array_agg(step.value) filter (where ${args.wanted.ends}::bool) as in_order,
          min(step.at) filter (where ${args.wanted.ends}::bool) as first_at,
          max(step.at) filter (where ${args.wanted.ends}::bool) as last_at,
          (array_agg(step.at order by step.value, step.at) filter (where ${args.wanted.minAt}::bool))[1] as min_at,
          (array_agg(step.at order by step.value desc, step.at) filter (where ${args.wanted.maxAt}::bool))[1] as max_at,
          stddev_samp(step.value) filter (where ${args.wanted.stddev}::bool and not ${args.overflows}::bool)
            as deviation,
          observations.stddev_or_nan(step.value)
            filter (where ${args.wanted.stddev}::bool and ${args.overflows}::bool) as deviation_or_nan,
          percentile_cont(array[0.05, 0.5, 0.95]) within group (order by step.value)
            filter (where ${args.wanted.percentiles}::bool) as percentiles,
          sum((step.previous + step.value) * step.duration_us)
            filter (where ${args.wanted.steps}::bool and not ${args.overflows}::bool) as area,
          observations.sum_or_nan(observations.area_or_nan(step.previous, step.value, step.duration_us))
            filter (where ${args.wanted.steps}::bool and ${args.overflows}::bool) as area_or_nan,
          max(step.duration_us) filter (where ${args.wanted.steps}::bool) as gap_us
        from (
          select observation.at, observation.value, lag(observation.value) over in_time as previous,
            round(date_part('epoch', observation.at - lag(observation.at) over in_time) * 1000000) as duration_us
          from (
            select stored.at, stored.value
            from observations.observations as stored
            where stored.variable_key = series.variable_key
              and stored.at >= edge.start_at and stored.at < edge.end_at
              and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
              and stored.at < ${sqlInstant(args.endUs)}::timestamptz
            order by stored.at
          ) as observation
          window in_time as (order by observation.at)
        ) as step
      ) as bucket
      where bucket.count > 0
    ) as found
    where found.starts is not null`,
);
