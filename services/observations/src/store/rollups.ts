import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Rollups } from '../domain/rollup-builder.js';
import { bigintArray, doubleArray, instantArray } from './binary.js';

/** Which transactions can be seen now, as PostgreSQL writes a snapshot. */
export const selectSnapshot = statement(
  z.object({ snapshot: z.string() }),
  () => sql`select pg_current_snapshot()::text as snapshot`,
);

/**
 * Series whose rollups may have to change: of those changed by transactions that a snapshot does
 * not see, which reached back to before `until` or can go on from there to `closedUs`; all series when no
 * snapshot is given.
 */
export const selectRollupCandidates = statement(
  z.object({ variableKey: z.number() }),
  (args: { since: string | undefined; closedUs: number }) => sql`
    select distinct change.variable_key
    from observations.changes as change
    left join observations.rollup_states as state on state.variable_key = change.variable_key
    where change.xid >= pg_snapshot_xmin(${args.since}::pg_snapshot)::text::bigint
      and not pg_visible_in_snapshot(change.xid::text::xid8, ${args.since}::pg_snapshot)
      and (state.until is null or change.first_at < state.until
        or state.until < ${sqlInstant(args.closedUs)}::timestamptz)
    union
    select series.variable_key
    from observations.series
    where ${args.since}::pg_snapshot is null and series.last_at is not null`,
);

/**
 * The state of a variable's rollups, unless changes that it did not see may be forgotten, or it was brought
 * from another database: then it is not known what these hold.
 */
export const selectRollupState = statement(
  z.object({ snapshot: z.string(), untilUs: z.number(), isKnown: z.boolean() }),
  ({ variableKey }: { variableKey: number }) => sql`
    select state.snapshot::text as snapshot, state.until as until_us,
      pg_snapshot_xmin(state.snapshot)::text::bigint
        >= (select min(horizon.xid) from observations.change_horizons as horizon)
        and pg_snapshot_xmax(state.snapshot) <= pg_snapshot_xmax(pg_current_snapshot()) as is_known
    from observations.rollup_states as state
    where state.variable_key = ${variableKey}::bigint`,
);

/** Whether the last observations of a series come so close that rollups are much fewer. */
export const selectIsDense = statement(
  z.object({ isDense: z.boolean() }),
  (args: { variableKey: number; observations: number; withinS: number }) => sql`
    select exists (
      select
      from observations.series
      join observations.observations as earlier
        on earlier.variable_key = series.variable_key
        and earlier.at >= series.last_at - make_interval(secs => ${args.withinS}::double precision)
      where series.variable_key = ${args.variableKey}::bigint
      offset ${args.observations}::int
    ) as is_dense`,
);

/** The ranges before an instant that transactions changed which a snapshot does not see, as whole hours, joined. */
export const selectChangedHours = statement(
  z.object({ startUs: z.number(), endUs: z.number() }),
  (args: { variableKey: number; since: string; untilUs: number }) => sql`
    select lower(hours) as start_us, upper(hours) as end_us
    from unnest((
      select range_agg(tstzrange(
        date_bin('1 hour', change.first_at, timestamptz '1600-01-01 00:00:00+00'),
        date_bin('1 hour', change.last_at, timestamptz '1600-01-01 00:00:00+00') + interval '1 hour'
      ))
      from observations.changes as change
      where change.variable_key = ${args.variableKey}::bigint
        and change.xid >= pg_snapshot_xmin(${args.since}::pg_snapshot)::text::bigint
        and not pg_visible_in_snapshot(change.xid::text::xid8, ${args.since}::pg_snapshot)
        and change.first_at < ${sqlInstant(args.untilUs)}::timestamptz
    ) * tstzmultirange(tstzrange(null, ${sqlInstant(args.untilUs)}::timestamptz))) as hours
    order by 1`,
);

/** Deletes the rollups of a range. */
export const deleteRollups = statement(
  z.object({}),
  (args: { variableKey: number; startUs: number; endUs: number }) => sql`
    delete from observations.rollups
    where variable_key = ${args.variableKey}::bigint and length_s in (900, 3600)
      and start_at >= ${sqlInstant(args.startUs)}::timestamptz and start_at < ${sqlInstant(args.endUs)}::timestamptz`,
);

/** Observations of a series in ascending time, so many at most: bytes of `timestamptz_send` and `float8send`. */
export const selectValues = statement(
  z.object({ instants: z.instanceof(Buffer), values: z.instanceof(Buffer) }),
  (args: { variableKey: number; startUs: number; endUs: number; limit: number }) => sql`
    select page.instants, page.values
    from (
      select string_agg(timestamptz_send(observation.at), '') as instants,
        string_agg(float8send(observation.value), '') as values
      from (
        select stored.at, stored.value
        from observations.observations as stored
        where stored.variable_key = ${args.variableKey}::bigint
          and stored.at >= ${sqlInstant(args.startUs)}::timestamptz
          and stored.at < ${sqlInstant(args.endUs)}::timestamptz
        order by stored.at
        limit ${args.limit}::int
      ) as observation
    ) as page
    where page.instants is not null`,
);

/** Stores rollups of a series, of which there are none. */
export const insertRollups = statement(
  z.object({}),
  ({ variableKey, rollups }: { variableKey: number; rollups: Rollups }) => sql`
    insert into observations.rollups (variable_key, length_s, start_at, count, total, minimum, maximum, first, last,
      first_at, last_at, min_at, max_at, area, gap_us)
    select ${variableKey}::bigint, made.*
    from unnest(${bigintArray(rollups.lengthsS)}::bigint[], ${instantArray(rollups.startsUs)}::timestamptz[],
      ${bigintArray(rollups.counts)}::bigint[], ${doubleArray(rollups.totals)}::double precision[],
      ${doubleArray(rollups.minima)}::double precision[], ${doubleArray(rollups.maxima)}::double precision[],
      ${doubleArray(rollups.firsts)}::double precision[], ${doubleArray(rollups.lasts)}::double precision[],
      ${instantArray(rollups.firstInstants)}::timestamptz[], ${instantArray(rollups.lastInstants)}::timestamptz[],
      ${instantArray(rollups.minInstants)}::timestamptz[], ${instantArray(rollups.maxInstants)}::timestamptz[],
      ${doubleArray(rollups.areas)}::double precision[], ${doubleArray(rollups.gaps)}::double precision[]) as made`,
);

/** Sets how far the rollups of a variable are true. */
export const upsertRollupState = statement(
  z.object({}),
  (args: { variableKey: number; snapshot: string; untilUs: number }) => sql`
    insert into observations.rollup_states as state (variable_key, snapshot, until)
    values (${args.variableKey}::bigint, ${args.snapshot}::pg_snapshot, ${sqlInstant(args.untilUs)}::timestamptz)
    on conflict (variable_key) do update
    set snapshot = excluded.snapshot, until = excluded.until`,
);
