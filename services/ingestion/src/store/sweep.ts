import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { publication } from './batches.js';

/** Work that one pod of all does at a time. */
export const sweepLock = 7_374_626_561;
export const retentionLock = 7_374_626_562;

/** Takes a lock until the end of the transaction, unless another holds it. */
export const tryLock = statement(
  z.object({ isLocked: z.boolean() }),
  ({ lock }: { lock: number }) => sql`select pg_try_advisory_xact_lock(${lock}::bigint) as is_locked`,
);

const lane = z.enum(['live', 'bulk']);

/** The lanes and shards of which a queued batch was published before a time. */
export const selectStalePlaces = statement(
  z.object({ lane, shard: z.number() }),
  (args: { lanes: readonly string[]; shards: readonly number[]; beforeUs: number }) => sql`
    select place.lane, place.shard
    from unnest(${args.lanes}::text[], ${args.shards}::smallint[]) as place (lane, shard)
    where exists (
      select from ingestion.queue
      where queue.lane = place.lane and queue.shard = place.shard
        and queue.published_at < ${sqlInstant(args.beforeUs)}::timestamptz
    )`,
);

/** Whether any of the batches is queued as it was published with an epoch, or is not known: that is the processor's to tell. */
export const selectIsAnyOpen = statement(
  z.object({ isAny: z.boolean() }),
  (args: {
    batchIds: readonly number[];
    /** null: it was published by its number alone */
    publicIds: readonly (string | null)[];
    epochs: readonly number[];
  }) => sql`
    select exists (
      select
      from unnest(${args.batchIds}::bigint[], ${args.publicIds}::uuid[], ${args.epochs}::int[])
        as published (batch_id, public_id, epoch)
      left join ingestion.batches on batches.id = published.batch_id
        and batches.public_id = coalesce(published.public_id, batches.public_id)
      left join ingestion.queue on queue.batch_id = published.batch_id and queue.epoch = published.epoch
      where batches.id is null or queue.batch_id is not null
    ) as is_any`,
);

const sweptBatch = publication.extend({
  runCount: z.number(),
  finishedAtUs: z.number().optional(),
  lane,
  isFresh: z.boolean(),
  epoch: z.number(),
});

/** A batch that is about to be published again. */
export type SweptBatch = z.output<typeof sweptBatch>;

/**
 * Takes batches of a lane and shard that were published before its cutoff, oldest first, and gives
 * them a new epoch. Takes `batchesMax` and `bytesMax` of bodies at most, but one at least.
 */
export const takeUnpublished = statement(
  sweptBatch,
  (args: {
    lanes: readonly string[];
    shards: readonly number[];
    cutoffsUs: readonly number[];
    nowUs: number;
    batchesMax: number;
    bytesMax: number;
  }) => sql`
    with due as (
      select found.batch_id, found.published_at
      from unnest(
        ${args.lanes}::text[], ${args.shards}::smallint[], ${args.cutoffsUs.map((us) => sqlInstant(us))}::timestamptz[]
      ) as place (lane, shard, cutoff)
      cross join lateral (
        select batch_id, published_at
        from ingestion.queue
        where queue.lane = place.lane and queue.shard = place.shard and queue.published_at < place.cutoff
        order by published_at
        limit ${args.batchesMax}::int
        for update skip locked
      ) as found
    ), measured as (
      select due.batch_id,
        row_number() over by_age as number,
        sum(octet_length(batches.body)) over by_age as bytes
      from due
      join ingestion.batches on batches.id = due.batch_id
      window by_age as (order by due.published_at, due.batch_id)
    ), taken as (
      update ingestion.queue
      set epoch = epoch + 1, published_at = ${sqlInstant(args.nowUs)}::timestamptz
      from measured
      where queue.batch_id = measured.batch_id
        and (measured.number = 1 or (measured.number <= ${args.batchesMax}::int and measured.bytes <= ${args.bytesMax}::bigint))
      returning queue.batch_id, queue.lane, queue.is_fresh, queue.epoch
    )
    select batches.id, batches.public_id, batches.project_id, batches.connection_id, batches.provisioning,
      batches.traceparent, batches.request_id, batches.body, batches.run_count,
      results.finished_at as finished_at_us, taken.lane, taken.is_fresh, taken.epoch
    from taken
    join ingestion.batches on batches.id = taken.batch_id
    left join ingestion.batch_results as results on results.batch_id = batches.id
    order by batches.id`,
);
