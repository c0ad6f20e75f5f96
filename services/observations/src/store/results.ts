import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { RowColumns } from './observations.js';

/** Stores results of variables whose calculations are locked: nobody else writes these rows. */
export const putResults = statement(
  z.object({}),
  ({ variableKeys, instants, values, admitted }: RowColumns) => sql`
    insert into observations.observations as stored (variable_key, at, value, admitted)
    select given.variable_key, given.at, given.value, given.admitted
    from unnest(${variableKeys}::bigint[], ${instants}::timestamptz[], ${values}::double precision[],
      ${admitted}::bigint[]) as given (variable_key, at, value, admitted)
    on conflict (variable_key, at) do update
    set value = excluded.value, admitted = excluded.admitted`,
);

/** Deletes results of a variable at instants. */
export const deleteResults = statement(
  z.object({}),
  ({ variableKey, instants }: { variableKey: number; instants: Buffer }) => sql`
    delete from observations.observations
    where variable_key = ${variableKey}::bigint and at = any(${instants}::timestamptz[])`,
);

/** Deletes all results of a variable in a range. */
export const deleteResultsWithin = statement(
  z.object({}),
  ({ variableKey, start, end }: { variableKey: number; start: string | null; end: string | null }) => sql`
    delete from observations.observations
    where variable_key = ${variableKey}::bigint and at >= ${start}::timestamptz and at < ${end}::timestamptz`,
);

/** Adds to the counts of recalculations what was done for them; those that have ended count no more. */
export const addProgress = statement(
  z.object({}),
  (args: { runId: string; instants: number; ranges: number; missing: Readonly<Record<string, number>> }) => sql`
    update observations.recalculations
    set instants_done = instants_done + ${args.instants}::bigint, ranges_done = ranges_done + ${args.ranges}::bigint,
      missing = (
        select coalesce(jsonb_object_agg(total.reason, total.count), '{}')
        from (
          select part.reason, sum(part.count::bigint) as count
          from (
            select * from jsonb_each_text(missing)
            union all
            select * from jsonb_each_text(${args.missing}::jsonb)
          ) as part (reason, count)
          group by part.reason
        ) as total
      )
    where run_id = ${args.runId} and state = 'running'`,
);
