import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { markLanes } from '../domain/mark-lanes.js';

/** Recalculations that one slice is computed for, of those that it names. */
const namedMax = 16;

/** What a change adds to its run, and who asked for that. */
interface TakenChange {
  readonly runId: string;
  readonly projectId: string;
  readonly traceparent: string;
  readonly requestId: string;
  readonly changes: number;
  readonly ranges: number;
  readonly skipped: number;
}

/** Counts a change of a run as taken over, with its ranges; the run begins with the first. */
export const countTakenChange = statement(
  z.object({ state: z.enum(['running', 'succeeded', 'failed']) }),
  (args: TakenChange) => sql`
    insert into observations.recalculations as stored
      (run_id, project_id, state, changes_total, changes_taken, ranges_total, ranges_skipped, traceparent, request_id)
    values (${args.runId}, ${args.projectId}, 'running', ${args.changes}, 1, ${args.ranges}, ${args.skipped},
      ${args.traceparent}, ${args.requestId})
    on conflict (run_id) do update
    set changes_total = excluded.changes_total, changes_taken = stored.changes_taken + 1,
      ranges_total = stored.ranges_total + excluded.ranges_total,
      ranges_skipped = stored.ranges_skipped + excluded.ranges_skipped
    returning state`,
);

/** Ends a run that goes on, or that has yet to come, as failed. What it has not computed is put aside. */
export const failRecalculation = statement(
  z.object({}),
  (args: { runId: string; projectId: string; errorCode: 'cancelled' | 'processing_error' }) => sql`
    with put_aside as (
      update observations.dirty set lane = ${markLanes.putAside}::smallint
      where run_id = ${args.runId} and lane = ${markLanes.recalculation}::smallint
    )
    insert into observations.recalculations as stored
      (run_id, project_id, state, error_code, changes_total, changes_taken, ended_at)
    values (${args.runId}, ${args.projectId}, 'failed', ${args.errorCode}, 0, 0, now())
    on conflict (run_id) do update
    set state = 'failed', error_code = excluded.error_code, ended_at = excluded.ended_at
    where stored.state = 'running'`,
);

/**
 * Ends the runs that have nothing left to compute. In a statement of its own: what computes and what takes over change
 * marks and counts together, so that no moment looks like the end that is not.
 */
export const endRecalculations = statement(
  z.object({}),
  () => sql`
    update observations.recalculations as ended
    set state = 'succeeded', ended_at = now()
    where not is_reported and state = 'running' and changes_taken = changes_total
      and (select true from observations.dirty where dirty.run_id = ended.run_id limit 1) is null`,
);

const progress = z.object({
  runId: z.string(),
  projectId: z.string(),
  state: z.enum(['running', 'succeeded', 'failed']),
  errorCode: z.string().optional(),
  rangesTotal: z.number(),
  rangesDone: z.number(),
  rangesSkipped: z.number(),
  instantsTotal: z.number(),
  instantsDone: z.number(),
  missing: z.record(z.string(), z.number()),
  /** what the counters sum up to: it rises with each of them */
  sum: z.number(),
});

/** How far a run is. */
export type Progress = z.output<typeof progress>;

/** The runs that have gone on or ended since the variables service was told, as many as asked for. */
export const selectProgress = statement(
  progress,
  ({ limit }: { limit: number }) => sql`
    select told.run_id, project_id, state, error_code, ranges_total, ranges_done, ranges_skipped,
      instants_done + (
        select coalesce(sum(instants), 0)
        from observations.dirty
        where dirty.run_id = told.run_id and lane <> ${markLanes.putAside}::smallint
      ) as instants_total,
      instants_done, missing, told.sum
    from (
      select run_id, project_id, state, error_code, ranges_total, ranges_done, ranges_skipped, instants_done, missing,
        reported, changes_taken + ranges_total + ranges_done + ranges_skipped + instants_done as sum
      from observations.recalculations
      where not is_reported
    ) as told
    where state <> 'running' or told.sum <> reported
    order by told.run_id
    limit ${limit}`,
);

/** How many runs go on, and how many ranges they have left. */
export const selectRunning = statement(
  z.object({ runs: z.number(), rangesLeft: z.number() }),
  () => sql`
    select count(*) as runs, coalesce(sum(ranges_total - ranges_done - ranges_skipped), 0) as ranges_left
    from observations.recalculations
    where not is_reported and state = 'running'`,
);

/** Who asked for what a variable is computed again. */
export const selectOrigins = statement(
  z.object({ runId: z.string(), projectId: z.string(), traceparent: z.string(), requestId: z.string() }),
  ({ variableKey }: { variableKey: number }) => sql`
    select marked.run_id, asked.project_id, asked.traceparent, asked.request_id
    from (
      select distinct run_id from observations.dirty
      where lane = ${markLanes.recalculation}::smallint and variable_key = ${variableKey} and run_id is not null
      order by run_id
      limit ${namedMax}
    ) as marked
    cross join lateral (
      select project_id, traceparent, request_id from observations.recalculations where run_id = marked.run_id limit 1
    ) as asked`,
);

/** Notes what the variables service was told of runs. */
export const noteReported = statement(
  z.object({}),
  ({ told }: { told: readonly Progress[] }) => sql`
    update observations.recalculations
    set reported = told.sum, is_reported = told.has_ended
    from (
      select run_id, sum, has_ended
      from unnest(${told.map(({ runId }) => runId)}::uuid[], ${told.map(({ sum }) => sum)}::bigint[],
        ${told.map(({ state }) => state !== 'running')}::boolean[]) as given (run_id, sum, has_ended)
      order by run_id
    ) as told
    where recalculations.run_id = told.run_id`,
);

/** Forgets runs whose end the variables service knows since long. */
export const deleteRecalculations = statement(
  z.object({}),
  ({ days }: { days: number }) => sql`
    delete from observations.recalculations
    where is_reported and ended_at < now() - make_interval(days => ${days}::int)`,
);
