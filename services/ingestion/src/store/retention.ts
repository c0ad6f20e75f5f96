import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Forgets keys that are older than a time, `limit` at most. */
export const deleteOldKeys = statement(
  z.object({}),
  ({ beforeUs, limit }: { beforeUs: number; limit: number }) => sql`
    delete from ingestion.idempotency_keys
    where ctid = any(array(
      select ctid from ingestion.idempotency_keys
      where created_at < ${sqlInstant(beforeUs)}::timestamptz
      limit ${limit}::int
    ))`,
);

/**
 * Looks at the next `limit` batches with an id between `after` and `before`, and holds those whose runs have all
 * succeeded, or are below `failedBefore`, until the end of the transaction. Passes over what another transaction holds:
 * its runs are just queued again or settled.
 *
 * @returns the last id it looked at, absent when there was none, and the ids of those it holds
 */
export const holdOldBatches = statement(
  z.object({ held: z.array(z.string()), lastId: z.string().optional() }),
  ({
    after,
    before,
    failedBefore,
    limit,
  }: {
    after: string;
    before: string;
    failedBefore: string;
    limit: number;
  }) => sql`
    with seen as (
      select batches.id, batches.public_id, ingestion.run_id(batches.public_id, 1023) as last_run_id, results.finished_at
      from ingestion.batches
      left join ingestion.batch_results as results on results.batch_id = batches.id
      where public_id > ${after}::uuid and public_id < ${before}::uuid
      order by public_id
      limit ${limit}::int
    ), held as (
      select batches.public_id
      from ingestion.batches
      join seen on seen.id = batches.id
      where seen.finished_at is not null
        and (
          seen.public_id < ${failedBefore}::uuid
          or not exists (
            select from ingestion.run_deviations
            where run_id between seen.public_id and seen.last_run_id and state <> 'succeeded'
          )
        )
      for update of batches skip locked
    )
    select array(select public_id from held) as held,
      (select public_id from seen order by public_id desc limit 1) as last_id`,
);

/**
 * Deletes batches that are held and finished, but for those with runs that are queued again. Read after they are held, not
 * with it: a retry may have ended meanwhile, and left the batch itself as it was. Nothing else can have changed: what has
 * succeeded is never queued again.
 *
 * @returns how many it deleted
 */
export const deleteHeldBatches = statement(
  z.object({ deleted: z.number() }),
  ({ held }: { held: readonly string[] }) => sql`
    with deleted as (
      delete from ingestion.batches
      where public_id = any(${held}::uuid[])
        and not exists (select from ingestion.queue where queue.batch_id = batches.id)
      returning id, public_id, ingestion.run_id(public_id, 1023) as last_run_id
    ), results as (
      delete from ingestion.batch_results
      using deleted
      where batch_results.batch_id = deleted.id
    ), deviations as (
      delete from ingestion.run_deviations
      using deleted
      where run_id between deleted.public_id and deleted.last_run_id
    )
    select count(*) as deleted from deleted`,
);

/**
 * Forgets files that were finished and have an id below `before`, with their keys, `limit` at most. Passes over those that
 * another transaction holds: one that was interrupted may just be gone on with.
 */
export const deleteOldFiles = statement(
  z.object({}),
  ({ before, limit }: { before: string; limit: number }) => sql`
    delete from ingestion.file_runs
    where id = any(array(
      select id from ingestion.file_runs
      where id < ${before}::uuid and finished_at is not null
      order by id
      limit ${limit}::int
      for update skip locked
    ))`,
);
