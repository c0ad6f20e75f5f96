import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { type MarkLane, markLanes } from '../domain/mark-lanes.js';

/**
 * Takes away the marks of a variable that lie within ranges, for good: another recalculation computes these, or
 * nobody. What a run that goes on loses so is counted as skipped. `lanes` says which marks.
 */
export const deleteCoveredMarks = statement(
  z.object({}),
  (args: { variableKey: number; lanes: readonly MarkLane[]; ranges: Buffer }) => sql`
    with gone as (
      delete from observations.dirty
      where variable_key = ${args.variableKey} and lane = any(${args.lanes}::smallint[])
        and ranges <@ ${args.ranges}::tstzmultirange
      returning run_id, range_count
    )
    update observations.recalculations
    set ranges_skipped = ranges_skipped + skipped.ranges
    from (select run_id, sum(range_count) as ranges from gone where run_id is not null group by run_id) as skipped
    where recalculations.run_id = skipped.run_id and state = 'running'`,
);

/** Takes ranges out of the marks of a variable that are partly in them, but for those of the live lane. */
export const subtractFromMarks = statement(
  z.object({}),
  (args: { variableKey: number; ranges: Buffer }) => sql`
    update observations.dirty
    set ranges = ranges - ${args.ranges}::tstzmultirange, instants = null
    where variable_key = ${args.variableKey} and lane <> ${markLanes.live}::smallint
      and ranges && ${args.ranges}::tstzmultirange`,
);

/** Marks ranges of a variable for a run, each of them counted; or puts them aside at once. */
export const insertRunMarks = statement(
  z.object({}),
  (args: {
    variableKey: number;
    lane: MarkLane;
    runId: string;
    configurationGeneration: number;
    ranges: Buffer;
  }) => sql`
    insert into observations.dirty (variable_key, ranges, lane, run_id, configuration_generation, range_count)
    select ${args.variableKey}, given.range::tstzmultirange, ${args.lane}::smallint, ${args.runId},
      ${args.configurationGeneration}, 1
    from unnest(${args.ranges}::tstzmultirange) as given (range)
    order by given.range`,
);

/**
 * Lets a run take up what was put aside of all that is computed from a variable, over any number of steps, where results
 * had marked it that lie in the ranges: these may be right already, and so mark nothing again. What other runs were
 * asked for themselves stays aside. Lanes are numbers of `markLanes` in the text: few marks are put aside as a rule, and
 * with a parameter the planner would take them for a third of all.
 */
export const takeUpMarks = statement(
  z.object({}),
  (args: { variableKey: number; runId: string; ranges: Buffer }) => sql`
    with recursive reading as (
      select found.reader_key as variable_key
      from (select from observations.dirty where lane = 2 limit 1) as any_aside
      cross join lateral (
        select reader_key from observations.readers where input_key = ${args.variableKey} offset 0
      ) as found
      union
      select found.reader_key
      from reading
      cross join lateral (
        select reader_key from observations.readers where input_key = reading.variable_key offset 0
      ) as found
    ), aside as materialized (
      select marked.id
      from reading
      cross join lateral (
        select id
        from observations.dirty
        where lane = 2 and variable_key = reading.variable_key and range_count = 0
          and ranges && ${args.ranges}::tstzmultirange
        offset 0
      ) as marked
    )
    update observations.dirty
    set lane = 1, run_id = ${args.runId}, attempts = 0
    from aside
    where dirty.id = aside.id`,
);
