import { batchRunsMax, parseRunId, runId } from '@weir/kit/ids';
import { type Db, sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { type Deviation, errorOf, storedMessage } from '../domain/run.js';

const runState = z.enum(['queued', 'succeeded', 'partially_succeeded', 'failed']);

/**
 * The position of an entry that is of no variable, and says which ones a run has. Readers of the release before look for
 * no such position, and so pass over it.
 */
const ofNone = -1;

/** The variables of a deviation as they are stored. */
const storedVariables = z.array(
  z.object({
    position: z.number(),
    outcome: z.enum(['superseded', 'failed']),
    code: z.string().optional(),
    message: z.string().optional(),
    variable_ids: z.array(z.string()).optional(),
  }),
);

/** The variables of a deviation as they are to be stored, in JSON. */
export function toStoredVariables({
  variables,
  variableIds,
}: Pick<Deviation, 'variables' | 'variableIds'>): string | null {
  const stored: z.input<typeof storedVariables> = variables.map(({ position, outcome, error }) => ({
    position,
    outcome,
    code: error?.code,
    message: storedMessage(error) ?? undefined,
  }));
  if (variableIds !== undefined)
    stored.push({ position: ofNone, outcome: 'superseded', variable_ids: [...variableIds] });
  return stored.length === 0 ? null : JSON.stringify(stored);
}

/** A row of a run that deviates. */
export const deviationRow = z.object({
  runId: z.string(),
  state: runState,
  attempts: z.number(),
  queuedEpoch: z.number(),
  finishedAtUs: z.number().optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  variables: storedVariables.optional(),
});

/** The deviation that a row stands for. */
export function toDeviation(row: z.output<typeof deviationRow>): Deviation {
  const stored = row.variables ?? [];
  const variables = stored.filter(({ position }) => position !== ofNone);
  return {
    state: row.state,
    attempts: row.attempts,
    queuedEpoch: row.queuedEpoch,
    finishedAtUs: row.finishedAtUs,
    error: row.code === undefined ? undefined : errorOf(row.code, row.message),
    variableIds: stored.find(({ position }) => position === ofNone)?.variable_ids,
    variables: variables.map(({ position, outcome, code, message }) => ({
      position,
      outcome,
      error: code === undefined ? undefined : errorOf(code, message),
    })),
  };
}

/** Deviations by batch id and index. */
export function deviationsByBatch(rows: readonly z.output<typeof deviationRow>[]): Map<string, Map<number, Deviation>> {
  const byBatch = new Map<string, Map<number, Deviation>>();
  for (const row of rows) {
    const { batchId, index } = parseRunId(row.runId);
    const ofBatch = byBatch.get(batchId) ?? new Map<number, Deviation>();
    byBatch.set(batchId, ofBatch.set(index, toDeviation(row)));
  }
  return byBatch;
}

/** The deviation of a run; of any project where none is named. */
export const selectDeviation = statement(
  deviationRow,
  ({ projectId, runId }: { projectId: string; runId: string }) => sql`
    select run_id, state, attempts, queued_epoch, finished_at as finished_at_us, code, message, variables
    from ingestion.run_deviations
    where run_id = ${runId}::uuid and (${projectId} = '' or project_id = nullif(${projectId}, '')::uuid)`,
);

/** The deviations in ranges of runs, both ends inclusive; of any project where none is named. */
export const selectDeviations = statement(
  deviationRow,
  ({ projectId, firsts, lasts }: { projectId: string; firsts: readonly string[]; lasts: readonly string[] }) => sql`
    select found.run_id, found.state, found.attempts, found.queued_epoch, found.finished_at as finished_at_us,
      found.code, found.message, found.variables
    from unnest(${firsts}::uuid[], ${lasts}::uuid[]) as asked (first_id, last_id)
    cross join lateral (
      select run_id, state, attempts, queued_epoch, finished_at, code, message, variables
      from ingestion.run_deviations
      where run_id between asked.first_id and asked.last_id
        and (${projectId} = '' or project_id = nullif(${projectId}, '')::uuid)
    ) as found`,
);

/** The deviations of batches, by batch id and index; of any project where none is named. */
export async function selectDeviationsOf(
  db: Db,
  projectId: string,
  batchIds: readonly string[],
): Promise<Map<string, Map<number, Deviation>>> {
  if (batchIds.length === 0) return new Map();
  const lasts = batchIds.map((id) => runId(id, batchRunsMax - 1));
  return deviationsByBatch(await selectDeviations.all(db, { projectId, firsts: batchIds, lasts }));
}

/** Stores deviations, new or changed. */
export const upsertDeviations = statement(
  z.object({}),
  (args: {
    runIds: readonly string[];
    batchIds: readonly number[];
    states: readonly string[];
    attempts: readonly number[];
    finishedAtUs: readonly (number | undefined)[];
    codes: readonly (string | null)[];
    messages: readonly (string | null)[];
    variables: readonly (string | null)[];
  }) => sql`
    insert into ingestion.run_deviations (
      run_id, batch_id, project_id, connection_id, state, attempts, finished_at, code, message, variables
    )
    select given.run_id, batches.id, batches.project_id, batches.connection_id, given.state, given.attempts,
      given.finished_at, given.code, given.message, given.variables
    from unnest(
      ${args.runIds}::uuid[], ${args.batchIds}::bigint[], ${args.states}::text[], ${args.attempts}::int[],
      ${args.finishedAtUs.map((us) => sqlInstant(us))}::timestamptz[], ${args.codes}::text[],
      ${args.messages}::text[], ${args.variables}::jsonb[]
    ) as given (run_id, batch_id, state, attempts, finished_at, code, message, variables)
    join ingestion.batches on batches.id = given.batch_id
    on conflict on constraint run_deviations_pkey do update
    set state = excluded.state, attempts = excluded.attempts, finished_at = excluded.finished_at,
      code = excluded.code, message = excluded.message, variables = excluded.variables`,
);

/** Queues final runs again; their attempts stay, and of those that succeeded partially what did not. */
export const requeueDeviations = statement(
  z.object({}),
  (args: { runIds: readonly string[]; epochs: readonly number[]; actor: { type: string; id: string } }) => sql`
    update ingestion.run_deviations
    set state = 'queued', queued_epoch = given.epoch, finished_at = null, code = null, message = null,
      variables = case when state = 'partially_succeeded' then variables end, retried_by = ${args.actor}::jsonb
    from unnest(${args.runIds}::uuid[], ${args.epochs}::int[]) as given (run_id, epoch)
    where run_deviations.run_id = given.run_id`,
);
