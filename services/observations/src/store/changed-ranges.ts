import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** A mark of what can be seen now, and how far back changes are kept. */
export const selectMark = statement(
  z.object({ xid: z.number(), atUs: z.number(), keptXid: z.number() }),
  () => sql`
    select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as xid, now() as at_us,
      (select min(horizon.xid) from observations.change_horizons as horizon) as kept_xid`,
);

/**
 * The ranges of series that were changed by a transaction from a number on, half-open, merged where they
 * overlap or meet, in ascending order of the series asked and of time.
 */
export const selectChangedRanges = statement(
  z.object({ seriesIndex: z.number(), startUs: z.number(), endUs: z.number() }),
  (args: {
    projectId: string;
    variableKeys: readonly number[];
    sinceXid: number;
    startUs: number;
    endUs: number;
    limit: number;
  }) => sql`
    select asked.number - 1 as series_index, lower(changed.range) as start_us, upper(changed.range) as end_us
    from unnest(${args.variableKeys}::bigint[]) with ordinality as asked (variable_key, number)
    join observations.series
      on series.variable_key = asked.variable_key and series.project_id = ${args.projectId}::uuid
    cross join lateral (
      select unnest(
        range_agg(tstzrange(changes.first_at, changes.last_at + interval '1 microsecond'))
          * tstzmultirange(tstzrange(${sqlInstant(args.startUs)}::timestamptz, ${sqlInstant(args.endUs)}::timestamptz))
      ) as range
      from observations.changes
      where changes.variable_key = series.variable_key and changes.xid >= ${args.sinceXid}::bigint
    ) as changed
    order by series_index, start_us
    limit ${args.limit}`,
);
