import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** A mark of what can be seen now. */
export const selectMark = statement(
  z.object({ snapshot: z.string(), atUs: z.number() }),
  () => sql`select observations.change_mark() as snapshot, now() as at_us`,
);

/**
 * A mark of what can be seen now, and whether all changes since an earlier one are kept. One that is ahead of the database was given
 * before this was restored, or by another: then it is not known what it saw.
 */
export const selectMarkAfter = statement(
  z.object({ snapshot: z.string(), atUs: z.number(), isKept: z.boolean() }),
  ({ since }: { since: string }) => sql`
    select observations.change_mark() as snapshot, now() as at_us,
      pg_snapshot_xmin(${since}::pg_snapshot)::text::bigint
        >= (select min(horizon.xid) from observations.change_horizons as horizon)
        and pg_snapshot_xmax(${since}::pg_snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) as is_kept`,
);

/**
 * The ranges of series that were changed by transactions which a snapshot does not see, half-open, merged where they
 * overlap or meet, in ascending order of the series asked and of time.
 */
export const selectChangedRanges = statement(
  z.object({ seriesIndex: z.number(), startUs: z.number(), endUs: z.number() }),
  (args: {
    projectId: string;
    variableKeys: readonly number[];
    since: string;
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
      where changes.variable_key = series.variable_key
        and changes.xid >= pg_snapshot_xmin(${args.since}::pg_snapshot)::text::bigint
        and not pg_visible_in_snapshot(changes.xid::text::xid8, ${args.since}::pg_snapshot)
    ) as changed
    order by series_index, start_us
    limit ${args.limit}`,
);
