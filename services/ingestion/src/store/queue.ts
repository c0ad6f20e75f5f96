import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { NameColumns } from '../domain/batch-name.js';

/** Counts that batches which have queued runs are begun once more (1), or that they were once in vain (-1). */
export const countAttempts = statement(
  z.object({ batchId: z.number(), publicId: z.string(), attempts: z.number() }),
  ({ batchIds, publicIds, unsaidIds, by }: NameColumns & { readonly by: 1 | -1 }) => sql`
    with locked as (
      select batch_id from ingestion.queue
      where batch_id = any(${batchIds}::bigint[])
        and (
          public_id in (select unnest(${publicIds}::uuid[])) or batch_id in (select unnest(${unsaidIds}::bigint[]))
        )
      order by batch_id
      for update
    )
    update ingestion.queue
    set attempts = greatest(attempts + ${by}::integer, 0)
    where batch_id = any(array(select batch_id from locked))
    returning batch_id, public_id, attempts`,
);

/** The queued batches that have some numbers now. */
export const selectQueued = statement(
  z.object({ batchId: z.number(), publicId: z.string() }),
  ({ batchIds }: { batchIds: readonly number[] }) => sql`
    select batch_id, public_id from ingestion.queue where batch_id = any(${batchIds}::bigint[])`,
);

/** Holds the places of batches in the queue until the end of the transaction. */
export const lockQueued = statement(
  z.object({ batchId: z.number(), epoch: z.number(), attempts: z.number() }),
  ({ batchIds }: { batchIds: readonly number[] }) => sql`
    select batch_id, epoch, attempts
    from ingestion.queue
    where batch_id = any(${batchIds}::bigint[])
    order by batch_id
    for update`,
);

/**
 * Says how many runs of batches are queued still; those with none leave the queue. Where some have become final the attempts
 * count anew: each retry is a message of its own, and what one of them comes to says nothing of the others.
 */
export const updateQueued = statement(
  z.object({}),
  ({ batchIds, runCounts }: { batchIds: readonly number[]; runCounts: readonly number[] }) => sql`
    with changed as (
      select * from unnest(${batchIds}::bigint[], ${runCounts}::smallint[]) as changed (batch_id, run_count)
    ), gone as (
      delete from ingestion.queue
      using changed
      where queue.batch_id = changed.batch_id and changed.run_count = 0
    )
    update ingestion.queue
    set run_count = changed.run_count, is_fresh = false,
      attempts = case when changed.run_count < queue.run_count then 0 else queue.attempts end
    from changed
    where queue.batch_id = changed.batch_id and changed.run_count > 0`,
);

/** Queues runs again that were final: `runCounts` more of each batch, published under a new epoch. */
export const requeue = statement(
  z.object({}),
  (args: {
    batchIds: readonly number[];
    shards: readonly number[];
    runCounts: readonly number[];
    epochs: readonly number[];
    nowUs: number;
  }) => sql`
    insert into ingestion.queue (
      batch_id, public_id, project_id, connection_id, published_at, lane, shard, run_count, is_fresh, epoch
    )
    select batches.id, batches.public_id, batches.project_id, batches.connection_id,
      ${sqlInstant(args.nowUs)}::timestamptz, 'bulk', again.shard, again.run_count, false, again.epoch
    from unnest(
      ${args.batchIds}::bigint[], ${args.shards}::smallint[], ${args.runCounts}::smallint[], ${args.epochs}::int[]
    ) as again (batch_id, shard, run_count, epoch)
    join ingestion.batches on batches.id = again.batch_id
    on conflict on constraint queue_pkey do update
    set published_at = excluded.published_at, lane = excluded.lane, epoch = excluded.epoch,
      run_count = queue.run_count + excluded.run_count`,
);

const queueSize = z.object({ batches: z.number(), runs: z.number() });

/** How much is queued. */
export const countQueue = statement(
  queueSize,
  () => sql`select count(*) as batches, coalesce(sum(run_count), 0) as runs from ingestion.queue`,
);

/** About how much is queued, counted in so many pages at most, of which each is as likely as the others: it costs the same however much there is. */
export const estimateQueue = statement(
  queueSize,
  ({ pages }: { pages: number }) => sql`
    select round(counted.batches * 100 / share) as batches, round(counted.runs * 100 / share) as runs
    from (
      select least(100, 100 * ${pages}::float8 * current_setting('block_size')::float8
        / greatest(pg_relation_size('ingestion.queue'), 1)) as share
    ) as sample
    cross join lateral (
      select count(*) as batches, coalesce(sum(run_count), 0) as runs
      from ingestion.queue tablesample system (share)
    ) as counted`,
);

/** The batch admitted first, of all that are queued and of those of which no run was ever finished. */
export const selectOldestQueued = statement(
  z.object({ oldestId: z.string().optional(), oldestFreshId: z.string().optional() }),
  () => sql`
    select
      (select public_id from ingestion.queue order by batch_id limit 1) as oldest_id,
      (select public_id from ingestion.queue where is_fresh order by batch_id limit 1) as oldest_fresh_id`,
);
