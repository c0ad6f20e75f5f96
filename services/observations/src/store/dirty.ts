import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { z } from 'zod';
import { type ComputedLane, markLanes } from '../domain/mark-lanes.js';

/**
 * What variables have in a lane, that of each run in one; as far as there may be observations. Read after
 * `lockCalculations`, in a statement of its own: so it sees what the one before has left.
 */
export const selectMarks = statement(
  z.object({
    variableKey: z.number(),
    runId: z.string().optional(),
    /** of the rows that it is kept in */
    ids: z.array(z.number()),
    rangeCount: z.number(),
    /** where they are counted for all rows */
    instants: z.number().optional(),
    attempts: z.number(),
    /** as `multirange_send` writes them */
    ranges: z.instanceof(Buffer),
  }),
  ({ lane, variableKeys }: { lane: ComputedLane; variableKeys: readonly number[] }) => sql`
    select given.variable_key, marks.run_id, marks.ids, marks.range_count, marks.instants, marks.attempts,
      multirange_send(marks.ranges * tstzmultirange(tstzrange(
        ${sqlInstant(observationInstantMinUs)}::timestamptz, ${sqlInstant(observationInstantEndUs)}::timestamptz
      ))) as ranges
    from unnest(${variableKeys}::bigint[]) as given (variable_key)
    cross join lateral (
      select run_id, json_agg(id) as ids, sum(range_count)::int as range_count,
        case when count(instants) = count(*) then sum(instants)::bigint end as instants,
        max(attempts) as attempts, range_agg(ranges) as ranges
      from observations.dirty
      where lane = ${lane}::smallint and variable_key = given.variable_key
      group by run_id
    ) as marks`,
);

/** Takes marks away. */
export const deleteMarks = statement(
  z.object({}),
  ({ ids }: { ids: readonly number[] }) => sql`delete from observations.dirty where id = any(${ids}::bigint[])`,
);

/** Leaves of marks what is still to be computed. */
export const shrinkMark = statement(
  z.object({}),
  (args: { id: number; ranges: Buffer; rangeCount: number; instants: number | undefined; lane: ComputedLane }) => sql`
    update observations.dirty
    set ranges = ${args.ranges}::tstzmultirange, range_count = ${args.rangeCount}, lane = ${args.lane}::smallint,
      instants = ${args.instants ?? null}::bigint, attempts = 0
    where id = ${args.id}`,
);

/** Counts an attempt that failed at the marks of variables, and tells the marks that failed too often. */
export const countAttempt = statement(
  z.object({ id: z.number(), variableKey: z.number(), runId: z.string().optional(), attempts: z.number() }),
  ({ lane, variableKeys }: { lane: ComputedLane; variableKeys: readonly number[] }) => sql`
    update observations.dirty
    set attempts = attempts + 1
    where lane = ${lane}::smallint and variable_key = any(${variableKeys}::bigint[])
    returning id, variable_key, run_id, attempts`,
);

/** Puts marks aside: nobody computes them until they are marked again. */
export const putMarksAside = statement(
  z.object({}),
  ({ ids }: { ids: readonly number[] }) => sql`
    update observations.dirty set lane = ${markLanes.putAside}::smallint where id = any(${ids}::bigint[])`,
);

/** The variables among these that live points have marked. */
export const selectLiveKeys = statement(
  z.object({ variableKey: z.number() }),
  ({ variableKeys }: { variableKeys: readonly number[] }) => sql`
    select distinct variable_key
    from observations.dirty
    where lane = ${markLanes.live}::smallint and variable_key = any(${variableKeys}::bigint[])`,
);

/** Notes how many instants a mark has, which nobody has counted. */
export const noteInstants = statement(
  z.object({}),
  ({ id, instants }: { id: number; instants: number }) => sql`
    update observations.dirty set instants = ${instants}::bigint where id = ${id} and instants is null`,
);
