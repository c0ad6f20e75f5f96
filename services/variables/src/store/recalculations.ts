import type { Actor } from '@weir/kit/records';
import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { type CauseKind, causeKinds, recalculationStates } from '../domain/recalculation.js';
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
});

/** A recalculation of the project. */
export const selectRecalculation = statement(
  recalculation,
  ({ projectId, runId }: RunKey) => sql`
    select run_id, project_id, state, cause_kind, cause_id, finished_at as finished_at_us
    from variables.recalculations
    where project_id = ${projectId} and run_id = ${runId}`,
);

/** Which recalculations of a project: those of ids from `least` (included) up to `before`. */
interface RecalculationRange {
  readonly projectId: string;
  readonly least: string;
  readonly before: string;
  readonly limit: number;
}

/** Recalculations of a project, the newest first. */
export const selectRecalculations = statement(
  recalculation,
  ({ projectId, least, before, limit }: RecalculationRange) => sql`
    select run_id, project_id, state, cause_kind, cause_id, finished_at as finished_at_us
    from variables.recalculations
    where project_id = ${projectId} and run_id >= ${least} and run_id < ${before}
    order by run_id desc
    limit ${limit}`,
);

/** Recalculations of a project that are in a state, the newest first. */
export const selectRecalculationsInState = statement(
  recalculation,
  ({ projectId, least, before, limit, state }: RecalculationRange & { readonly state: string }) => sql`
    select run_id, project_id, state, cause_kind, cause_id, finished_at as finished_at_us
    from variables.recalculations
    where state = ${state} and project_id = ${projectId} and run_id >= ${least} and run_id < ${before}
    order by run_id desc
    limit ${limit}`,
);

/** Adds a recalculation; one with nothing to do has succeeded. */
export const insertRecalculation = statement(
  none,
  (
    created: RunKey & {
      readonly causeKind: CauseKind;
      readonly causeId: string;
      readonly actor: Actor;
      readonly isQueued: boolean;
    },
  ) => sql`
    insert into variables.recalculations (project_id, run_id, state, cause_kind, cause_id, created_by, finished_at)
    select ${created.projectId}, ${created.runId}, case when is_queued then 'queued' else 'succeeded' end,
      ${created.causeKind}, ${created.causeId}, ${created.actor}, case when not is_queued then statement_timestamp() end
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
