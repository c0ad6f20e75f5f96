import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Batches to admit, as columns. */
export interface BatchColumns {
  readonly publicIds: readonly string[];
  readonly provisionings: readonly string[];
  readonly runCounts: readonly number[];
  readonly shards: readonly number[];
  readonly traceparents: readonly string[];
  readonly requestIds: readonly string[];
  /** All bodies one after the other: one binary parameter instead of an array in hexadecimal text. */
  readonly bodies: Buffer;
  /** Where each body begins, from 1. */
  readonly bodyStarts: readonly number[];
  readonly bodyLengths: readonly number[];
}

/** The same with whose they are, and their Idempotency-Keys. */
export interface AdmissionColumns extends BatchColumns {
  readonly projectIds: readonly string[];
  readonly connectionIds: readonly string[];
  /** null: always new */
  readonly keys: readonly (string | null)[];
  readonly nowUs: number;
}

/**
 * Admits batches, in order, whatever their number: those whose Idempotency-Key is not taken, with
 * the key and their place in the queue. Waits for another transaction that is just taking a key; keys
 * are taken in one order everywhere, so that two cannot wait for each other. One statement, and
 * committed when it answers unless it runs in a transaction.
 *
 * @returns for each, in order, its number, or nothing when its key was taken
 */
export const insertAdmissions = statement(
  z.object({ id: z.number().optional() }),
  (columns: AdmissionColumns) => sql`
    with submitted as materialized (
      select nextval('ingestion.batches_id_seq') as id, given.*
      from unnest(
        ${columns.publicIds}::uuid[], ${columns.projectIds}::uuid[], ${columns.connectionIds}::uuid[],
        ${columns.keys}::text[], ${columns.provisionings}::text[], ${columns.runCounts}::smallint[],
        ${columns.shards}::smallint[], ${columns.traceparents}::text[], ${columns.requestIds}::text[],
        ${columns.bodyStarts}::int[], ${columns.bodyLengths}::int[]
      ) with ordinality as given (
        public_id, project_id, connection_id, key, provisioning, run_count,
        shard, traceparent, request_id, body_start, body_length, position
      )
    ), taken as (
      insert into ingestion.idempotency_keys (connection_id, operation, key, batch_id, created_at)
      select connection_id, 'ingest', key, id, ${sqlInstant(columns.nowUs)}::timestamptz
      from submitted
      where key is not null
      order by connection_id, key, position
      on conflict on constraint idempotency_keys_pkey do nothing
      returning batch_id
    ), admitted as materialized (
      select * from submitted where key is null or id in (select batch_id from taken)
    ), inserted as (
      insert into ingestion.batches (
        id, public_id, project_id, connection_id, run_count, provisioning, traceparent, request_id, body
      )
      select id, public_id, project_id, connection_id, run_count, provisioning, traceparent, request_id,
        substring(${columns.bodies}::bytea from body_start for body_length)
      from admitted
      order by id
    ), queued as (
      insert into ingestion.queue (
        batch_id, public_id, project_id, connection_id, published_at, lane, shard, run_count, is_fresh, epoch
      )
      select id, public_id, project_id, connection_id, ${sqlInstant(columns.nowUs)}::timestamptz, 'live', shard,
        run_count, true, 0
      from admitted
      order by id
    )
    select admitted.id
    from submitted
    left join admitted on admitted.id = submitted.id
    order by submitted.position`,
);

const replay = z.object({
  publicId: z.string(),
  runCount: z.number(),
  finishedAtUs: z.number().optional(),
  deviations: z
    .array(z.tuple([z.string(), z.enum(['queued', 'succeeded', 'partially_succeeded', 'failed'])]))
    .optional(),
});

/** What taken keys admitted, in order, with the states of the runs that deviate; nothing where a key is not taken. */
export const selectReplays = statement(
  replay.partial(),
  (asked: { projectIds: readonly string[]; connectionIds: readonly string[]; keys: readonly string[] }) => sql`
    select batch.public_id, batch.run_count, results.finished_at as finished_at_us,
      (
        select json_agg(json_build_array(run_id, state))
        from ingestion.run_deviations
        where run_id between batch.public_id and ingestion.run_id(batch.public_id, 1023)
          and run_deviations.project_id = asked.project_id
      ) as deviations
    from unnest(${asked.projectIds}::uuid[], ${asked.connectionIds}::uuid[], ${asked.keys}::text[])
      with ordinality as asked (project_id, connection_id, key, position)
    left join lateral (
      select batches.id, batches.public_id, batches.run_count
      from ingestion.idempotency_keys as taken
      join ingestion.batches on batches.id = taken.batch_id and batches.project_id = asked.project_id
      where taken.connection_id = asked.connection_id and taken.operation = 'ingest' and taken.key = asked.key
      limit 1
    ) as batch on true
    left join ingestion.batch_results as results on results.batch_id = batch.id
    order by asked.position`,
);
