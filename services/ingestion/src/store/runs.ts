import { sql, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { deviationRow } from './deviations.js';

/** A batch as lists need it. */
export const listedBatch = z.object({
  publicId: z.string(),
  projectId: z.string(),
  connectionId: z.string(),
  runCount: z.number(),
  finishedAtUs: z.number().optional(),
  attempts: z.number(),
  queueAttempts: z.number().optional(),
});

export type ListedBatch = z.output<typeof listedBatch>;

/** Where a list of batches goes on: down from `last`, to `least`, both inclusive. An empty id narrows nothing. */
export interface BatchRange {
  readonly projectId: string;
  readonly connectionId: string;
  readonly last: string;
  readonly least: string;
  readonly limit: number;
}

/** What lists need of a batch. */
export const batchColumns = sqlPart`
  batches.public_id, batches.project_id, batches.connection_id, batches.run_count,
    results.finished_at as finished_at_us, coalesce(results.attempts, 0) as attempts,
    queue.attempts as queue_attempts`;

/** Batches of a project, newest first. */
export const selectProjectBatches = statement(
  listedBatch,
  ({ projectId, last, least, limit }: BatchRange) => sql`
    select ${batchColumns}
    from ingestion.batches
    left join ingestion.batch_results as results on results.batch_id = batches.id
    left join ingestion.queue on queue.batch_id = batches.id
    where batches.project_id = ${projectId}::uuid
      and batches.public_id between ${least}::uuid and ${last}::uuid
    order by batches.public_id desc
    limit ${limit}::int`,
);

/** Batches of a connection, newest first. */
export const selectConnectionBatches = statement(
  listedBatch,
  ({ projectId, connectionId, last, least, limit }: BatchRange) => sql`
    select ${batchColumns}
    from ingestion.batches
    left join ingestion.batch_results as results on results.batch_id = batches.id
    left join ingestion.queue on queue.batch_id = batches.id
    where batches.connection_id = ${connectionId}::uuid
      and (${projectId} = '' or batches.project_id = nullif(${projectId}, '')::uuid)
      and batches.public_id between ${least}::uuid and ${last}::uuid
    order by batches.public_id desc
    limit ${limit}::int`,
);

/** All batches, newest first. */
export const selectAllBatches = statement(
  listedBatch,
  ({ last, least, limit }: BatchRange) => sql`
    select ${batchColumns}
    from ingestion.batches
    left join ingestion.batch_results as results on results.batch_id = batches.id
    left join ingestion.queue on queue.batch_id = batches.id
    where batches.public_id between ${least}::uuid and ${last}::uuid
    order by batches.public_id desc
    limit ${limit}::int`,
);

/** Batches of a project (of a connection, when one is named) that have queued runs, newest first. */
export const selectQueuedProjectBatches = statement(
  listedBatch,
  ({ projectId, connectionId, last, least, limit }: BatchRange) => sql`
    select ${batchColumns}
    from ingestion.queue
    join ingestion.batches on batches.id = queue.batch_id
    left join ingestion.batch_results as results on results.batch_id = batches.id
    where queue.project_id = ${projectId}::uuid
      and (${connectionId} = '' or queue.connection_id = nullif(${connectionId}, '')::uuid)
      and queue.public_id between ${least}::uuid and ${last}::uuid
    order by queue.public_id desc
    limit ${limit}::int`,
);

/** Batches of all projects, or of one connection, that have queued runs, newest first. */
export const selectQueuedBatches = statement(
  listedBatch,
  ({ connectionId, last, least, limit }: BatchRange) => sql`
    select ${batchColumns}
    from ingestion.queue
    join ingestion.batches on batches.id = queue.batch_id
    left join ingestion.batch_results as results on results.batch_id = batches.id
    where (${connectionId} = '' or queue.connection_id = nullif(${connectionId}, '')::uuid)
      and queue.public_id between ${least}::uuid and ${last}::uuid
    order by queue.public_id desc
    limit ${limit}::int`,
);

const listedDeviation = deviationRow.extend({ projectId: z.string(), connectionId: z.string() });

/** A run that deviates as lists need it. */
export type ListedDeviation = z.output<typeof listedDeviation>;

/** Where a list of deviating runs goes on: below `before`, down to `least`. */
export interface DeviationRange {
  readonly projectId: string;
  readonly connectionId: string;
  readonly state: string;
  readonly before: string;
  readonly least: string;
  readonly limit: number;
}

/** Runs that deviate. */
const deviations = sqlPart`
  select run_id, state, attempts, queued_epoch, finished_at as finished_at_us, code, message, variables,
    project_id, connection_id
  from ingestion.run_deviations`;

/** Runs of a project in a state that only deviations have, newest first. */
export const selectProjectDeviations = statement(
  listedDeviation,
  ({ projectId, state, before, least, limit }: DeviationRange) => sql`
    ${deviations}
    where project_id = ${projectId}::uuid and state = ${state}
      and run_id < ${before}::uuid and run_id >= ${least}::uuid
    order by run_id desc
    limit ${limit}::int`,
);

/** Runs of a connection in a state that only deviations have, newest first. */
export const selectConnectionDeviations = statement(
  listedDeviation,
  ({ projectId, connectionId, state, before, least, limit }: DeviationRange) => sql`
    ${deviations}
    where connection_id = ${connectionId}::uuid and state = ${state}
      and (${projectId} = '' or project_id = nullif(${projectId}, '')::uuid)
      and run_id < ${before}::uuid and run_id >= ${least}::uuid
    order by run_id desc
    limit ${limit}::int`,
);

/** All runs in a state that only deviations have, newest first. */
export const selectAllDeviations = statement(
  listedDeviation,
  ({ state, before, least, limit }: DeviationRange) => sql`
    ${deviations}
    where state = ${state} and run_id < ${before}::uuid and run_id >= ${least}::uuid
    order by run_id desc
    limit ${limit}::int`,
);
