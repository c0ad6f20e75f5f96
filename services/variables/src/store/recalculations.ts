import type { Actor } from '@weir/kit/records';
import { sql, sqlInstant, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { type CauseKind, causeKinds, type Progress, recalculationStates } from '../domain/recalculation.js';
import type { TimeRange } from '../domain/steps.js';

interface RunKey {
  readonly projectId: string;
  readonly runId: string;
}

interface RecalculatedRange extends TimeRange {
  readonly variableId: string;
  /** Of the variable: results of an older generation never take the place of newer ones. */
  readonly configurationGeneration: number;
}

const none = z.object({});

const recalculation = z.object({
  runId: z.string(),
  projectId: z.string(),
  state: z.enum(recalculationStates),
  causeKind: z.enum(causeKinds),
  causeId: z.string(),
  finishedAtUs: z.number().optional(),
  errorCode: z.string().optional(),
  rangesTotal: z.number(),
  rangesDone: z.number(),
  rangesSkipped: z.number(),
  instantsTotal: z.number(),
  instantsDone: z.number(),
  missing: z.record(z.string(), z.number()),
});

/** Recalculations with how far they are. */
const recalculations = sqlPart`
  select run_id, project_id, state, cause_kind, cause_id, finished_at as finished_at_us, error_code,
    ranges_total, ranges_done, ranges_skipped, instants_total, instants_done, missing
  from variables.recalculations`;

/** A recalculation of the project. */
export const selectRecalculation = statement(
  recalculation,
  ({ projectId, runId }: RunKey) => sql`
    ${recalculations}
    where project_id = ${projectId} and run_id = ${runId}`,
);

/** Which recalculations: those of ids from `least` (included) up to `before`. */
interface RunRange {
  readonly least: string;
  readonly before: string;
  readonly limit: number;
}

type RunRangeOfProject = RunRange & { readonly projectId: string };

/** Recalculations of a project, the newest first. */
export const selectRecalculations = statement(
  recalculation,
  ({ projectId, least, before, limit }: RunRangeOfProject) => sql`
    ${recalculations}
    where project_id = ${projectId} and run_id >= ${least} and run_id < ${before}
    order by run_id desc
    limit ${limit}`,
);

/** Recalculations of a project that are in a state, the newest first. */
export const selectRecalculationsInState = statement(
  recalculation,
  ({ projectId, least, before, limit, state }: RunRangeOfProject & { readonly state: string }) => sql`
    ${recalculations}
    where state = ${state} and project_id = ${projectId} and run_id >= ${least} and run_id < ${before}
    order by run_id desc
    limit ${limit}`,
);

/** A recalculation of any project, for an operator. */
export const selectAnyRecalculation = statement(
  recalculation,
  ({ runId }: Pick<RunKey, 'runId'>) => sql`
    ${recalculations}
    where run_id = ${runId} and ranges_total >= 0
    limit 1`,
);

/** Recalculations of all projects, the newest first. */
export const selectAllRecalculations = statement(
  recalculation,
  ({ least, before, limit }: RunRange) => sql`
    ${recalculations}
    where run_id >= ${least} and run_id < ${before} and ranges_total >= 0
    order by run_id desc
    limit ${limit}`,
);

/** Recalculations of all projects that are in a state, the newest first; so said that one index alone has the order. */
export const selectAllRecalculationsInState = statement(
  recalculation,
  ({ least, before, limit, state }: RunRange & { readonly state: string }) => sql`
    ${recalculations}
    where (state, run_id) >= (${state}, ${least}) and (state, run_id) < (${state}, ${before}) and ranges_total >= 0
    order by state desc, run_id desc
    limit ${limit}`,
);

/** Adds a recalculation; one with nothing to do has succeeded. */
export const insertRecalculation = statement(
  none,
  (
    created: RunKey & {
      readonly traceparent: string;
      readonly requestId: string;
      readonly causeKind: CauseKind;
      readonly causeId: string;
      readonly actor: Actor;
      readonly isQueued: boolean;
    },
  ) => sql`
    insert into variables.recalculations (project_id, run_id, state, cause_kind, cause_id, created_by, traceparent, request_id, finished_at)
    select ${created.projectId}, ${created.runId}, case when is_queued then 'queued' else 'succeeded' end,
      ${created.causeKind}, ${created.causeId}, ${created.actor}, ${created.traceparent},
      ${created.requestId}, case when not is_queued then statement_timestamp() end
    from (select ${created.isQueued}::boolean as is_queued) as change`,
);

/** Adds what a recalculation has to compute. */
export const insertRecalculationRanges = statement(
  none,
  ({ projectId, runId, ranges }: RunKey & { readonly ranges: readonly RecalculatedRange[] }) => sql`
    insert into variables.recalculation_ranges
      (project_id, run_id, variable_id, start_at, end_at, configuration_generation)
    select ${projectId}, ${runId}, range.variable_id, range.start_at, range.end_at, range.configuration_generation
    from unnest(
      ${ranges.map(({ variableId }) => variableId)}::uuid[],
      ${ranges.map(({ startUs }) => sqlInstant(startUs))}::timestamptz[],
      ${ranges.map(({ endUs }) => sqlInstant(endUs))}::timestamptz[],
      ${ranges.map(({ configurationGeneration }) => configurationGeneration)}::integer[]
    ) as range (variable_id, start_at, end_at, configuration_generation)`,
);

/** Ends a recalculation, if it has not ended. */
export const updateRecalculationCancelled = statement(
  none,
  ({ projectId, runId, actor }: RunKey & { readonly actor: Actor }) => sql`
    update variables.recalculations
    set state = 'failed', error_code = 'cancelled', cancelled_by = ${actor}, finished_at = statement_timestamp()
    where project_id = ${projectId} and run_id = ${runId} and state in ('queued', 'running')`,
);

/**
 * Writes down how far recalculations are that have not ended. Counts only rise, so that a late report takes
 * nothing back. Those of a cancelled one rise too: processors hear of its end later, and compute until then.
 * Rows are locked in the order of their keys: two processors may report the same runs.
 *
 * @param args.reports - one for each run
 */
export const updateReportedRecalculations = statement(
  none,
  ({ reports }: { readonly reports: readonly Report[] }) => sql`
    with report as materialized (
      select project_id, run_id, state, error_code, ranges_total, ranges_done, ranges_skipped,
        instants_total, instants_done, missing
      from unnest(
        ${reports.map(({ projectId }) => projectId)}::uuid[],
        ${reports.map(({ runId }) => runId)}::uuid[],
        ${reports.map(({ state }) => state)}::text[],
        ${reports.map(({ errorCode }) => errorCode)}::text[],
        ${reports.map(({ rangesTotal }) => rangesTotal)}::bigint[],
        ${reports.map(({ rangesDone }) => rangesDone)}::bigint[],
        ${reports.map(({ rangesSkipped }) => rangesSkipped)}::bigint[],
        ${reports.map(({ instantsTotal }) => instantsTotal)}::bigint[],
        ${reports.map(({ instantsDone }) => instantsDone)}::bigint[],
        ${reports.map(({ missing }) => JSON.stringify(missing))}::jsonb[]
      ) as reported (project_id, run_id, state, error_code, ranges_total, ranges_done, ranges_skipped,
        instants_total, instants_done, missing)
    ), locked as materialized (
      select run.project_id, run.run_id
      from report
      join variables.recalculations as run on run.project_id = report.project_id and run.run_id = report.run_id
      order by run.project_id, run.run_id
      for update of run
    )
    update variables.recalculations as run
    set state = case when run.finished_at is null then report.state else run.state end,
      error_code = case when run.finished_at is null then report.error_code else run.error_code end,
      finished_at = coalesce(run.finished_at, case when report.state <> 'running' then statement_timestamp() end),
      ranges_total = greatest(run.ranges_total, report.ranges_total),
      ranges_done = greatest(run.ranges_done, report.ranges_done),
      ranges_skipped = greatest(run.ranges_skipped, report.ranges_skipped),
      -- what was skipped is no longer to be done
      instants_total = greatest(
        report.instants_done, report.instants_total, case when report.state <> 'succeeded' then run.instants_total end
      ),
      instants_done = greatest(run.instants_done, report.instants_done),
      missing = case when report.instants_done >= run.instants_done then report.missing else run.missing end
    from locked
    join report on report.project_id = locked.project_id and report.run_id = locked.run_id
    where run.project_id = locked.project_id and run.run_id = locked.run_id
      and (run.state in ('queued', 'running') or run.error_code = 'cancelled')`,
);

type Report = RunKey &
  Progress & {
    readonly state: 'running' | 'succeeded' | 'failed';
    readonly errorCode: string | undefined;
  };
