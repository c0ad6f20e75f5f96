import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { NameColumns } from '../domain/batch-name.js';

/** Outcomes of whole batches, as columns. */
export interface CompletionColumns {
  readonly names: NameColumns;
  /** All variable ids one after the other. */
  readonly variableIds: Buffer;
  /** Where those of each batch begin, from 1. */
  readonly variableIdStarts: readonly number[];
  readonly variableIdLengths: readonly number[];
  readonly deviations: DeviationColumns;
  readonly nowUs: number;
}

/** Deviations as columns. */
export interface DeviationColumns {
  readonly batchIds: readonly number[];
  readonly indexes: readonly number[];
  readonly states: readonly string[];
  readonly codes: readonly (string | null)[];
  readonly messages: readonly (string | null)[];
  /** JSON */
  readonly variables: readonly (string | null)[];
}

/**
 * Finishes batches of which no run was ever finished, all runs at once: one statement, and one row
 * inserted and one deleted a batch. Leaves all others alone, so that it can be repeated.
 *
 * @returns the batches that it finished
 */
export const finishFreshBatches = statement(
  z.object({ batchId: z.number(), publicId: z.string(), runCount: z.number() }),
  (columns: CompletionColumns) => sql`
    with fresh as (
      select batch_id
      from ingestion.queue
      where batch_id = any(${columns.names.batchIds}::bigint[]) and is_fresh
        and (
          public_id in (select unnest(${columns.names.publicIds}::uuid[]))
          or batch_id in (select unnest(${columns.names.unsaidIds}::bigint[]))
        )
      order by batch_id
      for update
    ), taken as (
      delete from ingestion.queue
      where batch_id = any(array(select batch_id from fresh))
      returning batch_id, public_id, project_id, connection_id, run_count, attempts, epoch
    ), deviating as (
      insert into ingestion.run_deviations (
        run_id, batch_id, project_id, connection_id, state, attempts, finished_at, code, message, variables
      )
      select ingestion.run_id(taken.public_id, given.index), taken.batch_id, taken.project_id, taken.connection_id,
        given.state, greatest(taken.attempts, 1), ${sqlInstant(columns.nowUs)}::timestamptz, given.code, given.message,
        given.variables
      from unnest(
        ${columns.deviations.batchIds}::bigint[], ${columns.deviations.indexes}::int[],
        ${columns.deviations.states}::text[], ${columns.deviations.codes}::text[],
        ${columns.deviations.messages}::text[], ${columns.deviations.variables}::jsonb[]
      ) as given (batch_id, index, state, code, message, variables)
      join taken on taken.batch_id = given.batch_id and taken.run_count > given.index
    ), finished as (
      insert into ingestion.batch_results (batch_id, finished_at, attempts, epoch, variable_ids)
      select taken.batch_id, ${sqlInstant(columns.nowUs)}::timestamptz, greatest(taken.attempts, 1), taken.epoch,
        substring(${columns.variableIds}::bytea from given.start for given.length)
      from taken
      join unnest(
        ${columns.names.batchIds}::bigint[], ${columns.variableIdStarts}::int[], ${columns.variableIdLengths}::int[]
      ) as given (batch_id, start, length) on given.batch_id = taken.batch_id
    )
    select batch_id, public_id, run_count from taken`,
);

/** Holds batches until the end of the transaction; taken before their places in the queue, everywhere. */
export const lockBatches = statement(
  z.object({
    id: z.number(),
    publicId: z.string(),
    projectId: z.string(),
    connectionId: z.string(),
    runCount: z.number(),
  }),
  ({ ids }: { ids: readonly number[] }) => sql`
    select id, public_id, project_id, connection_id, run_count
    from ingestion.batches
    where id = any(${ids}::bigint[])
    order by id
    for update`,
);

/** The results of batches that have any. Read after the batches are held, not with them: they may have changed meanwhile. */
export const selectResults = statement(
  z.object({
    batchId: z.number(),
    finishedAtUs: z.number().optional(),
    epoch: z.number(),
    variableIds: z.instanceof(Buffer),
  }),
  ({ batchIds }: { batchIds: readonly number[] }) => sql`
    select batch_id, finished_at as finished_at_us, epoch, variable_ids
    from ingestion.batch_results
    where batch_id = any(${batchIds}::bigint[])`,
);

/** Stores what outcomes of parts of batches made of them; the first finish stays. */
export const upsertResults = statement(
  z.object({}),
  (args: {
    batchIds: readonly number[];
    areFinished: readonly boolean[];
    attempts: readonly number[];
    epochs: readonly number[];
    variableIds: readonly Buffer[];
    nowUs: number;
  }) => sql`
    insert into ingestion.batch_results as results (batch_id, finished_at, attempts, epoch, variable_ids)
    select given.batch_id, case when given.is_finished then ${sqlInstant(args.nowUs)}::timestamptz end,
      given.attempts, given.epoch, given.variable_ids
    from unnest(
      ${args.batchIds}::bigint[], ${args.areFinished}::boolean[], ${args.attempts}::int[], ${args.epochs}::int[],
      ${args.variableIds}::bytea[]
    ) as given (batch_id, is_finished, attempts, epoch, variable_ids)
    on conflict on constraint batch_results_pkey do update
    set finished_at = coalesce(results.finished_at, excluded.finished_at),
      attempts = case when results.finished_at is null then excluded.attempts else results.attempts end,
      epoch = excluded.epoch,
      variable_ids = excluded.variable_ids`,
);
