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
 * Looks at the next `limit` batches with an id between `after` and `before`, and deletes those whose
 * runs have all succeeded, or are final with an id below `failedBefore`.
 *
 * @returns the last id it looked at, absent when there was none, and how many it deleted
 */
export const deleteOldBatches = statement(
  z.object({ deleted: z.number(), lastId: z.string().optional() }),
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
    ), deleted as (
      delete from ingestion.batches
      using seen
      where batches.id = seen.id
        and seen.finished_at is not null
        and not exists (select from ingestion.queue where queue.batch_id = seen.id)
        and (
          seen.public_id < ${failedBefore}::uuid
          or not exists (
            select from ingestion.run_deviations
            where run_id between seen.public_id and seen.last_run_id and state <> 'succeeded'
          )
        )
      returning seen.id, seen.public_id, seen.last_run_id
    ), results as (
      delete from ingestion.batch_results
      using deleted
      where batch_results.batch_id = deleted.id
    ), deviations as (
      delete from ingestion.run_deviations
      using deleted
      where run_id between deleted.public_id and deleted.last_run_id
    )
    select (select count(*) from deleted) as deleted,
      (select public_id from seen order by public_id desc limit 1) as last_id`,
);

/** Forgets files that were finished and have an id below `before`, with their keys, `limit` at most. */
export const deleteOldFiles = statement(
  z.object({}),
  ({ before, limit }: { before: string; limit: number }) => sql`
    delete from ingestion.file_runs
    where id = any(array(
      select id from ingestion.file_runs
      where id < ${before}::uuid and finished_at is not null
      order by id
      limit ${limit}::int
    ))`,
);
