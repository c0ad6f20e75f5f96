import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/**
 * About how many observations of series lie in a range. The time that each series has observations in is cut
 * into `segments`; of each the first 50 observations are looked at. A segment with fewer is counted, another
 * one is taken to go on as densely as it begins: too much is told of bursts shorter than a segment, and too
 * little of none.
 */
export const selectScanEstimate = statement(
  z.object({ observations: z.number() }),
  (args: {
    projectId: string;
    variableKeys: readonly number[];
    startUs: number;
    endUs: number;
    segments: number;
  }) => sql`
    select coalesce(sum(case
        when probe.count < 50 then probe.count
        else 49 * extract(epoch from segment.end_at - probe.first_at) / extract(epoch from probe.last_at - probe.first_at)
      end), 0)::double precision as observations
    from unnest(${args.variableKeys}::bigint[]) as asked (variable_key)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select first.at as start_at,
        least(${sqlInstant(args.endUs)}::timestamptz, series.last_at) - first.at + interval '1 second' as length
      from (
        select stored.at
        from observations.observations as stored
        where stored.variable_key = series.variable_key
          and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
          and stored.at < ${sqlInstant(args.endUs)}::timestamptz
        order by stored.at
        limit 1
      ) as first
    ) as occupied
    cross join lateral (
      select occupied.start_at + number * (occupied.length / ${args.segments}::int) as start_at,
        occupied.start_at + (number + 1) * (occupied.length / ${args.segments}::int) as end_at
      from generate_series(0, ${args.segments}::int - 1) as number
    ) as segment
    cross join lateral (
      select count(*) as count, min(seen.at) as first_at, max(seen.at) as last_at
      from (
        select stored.at
        from observations.observations as stored
        where stored.variable_key = series.variable_key
          and stored.at >= segment.start_at and stored.at < segment.end_at
        order by stored.at
        limit 50
      ) as seen
    ) as probe`,
);
