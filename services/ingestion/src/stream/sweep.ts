import { type Lane, lanes, shardCount } from '@weir/kit/nats';
import type { Pool, Transaction } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { QueuedBatch } from '@weir/proto/ingestion';
import { saidPublicId } from '../domain/batch-name.js';
import { queuedIndexes } from '../domain/settle-batch.js';
import { type SweepAges, sweepCutoffMs } from '../domain/sweep-cutoff.js';
import { toTried } from '../domain/tried-values.js';
import type { Events } from '../events.js';
import { selectDeviationsOf } from '../store/deviations.js';
import {
  type SweptBatch,
  selectIsAnyOpen,
  selectStalePlaces,
  sweepLock,
  takeUnpublished,
  tryLock,
} from '../store/sweep.js';
import type { Publisher } from './publisher.js';
import { toQueuedBatch } from './queued-batch.js';
import type { RunsStream } from './runs-stream.js';

/** What one round takes at most. */
const roundMax = { batches: 1000, bytes: 16 * 1024 * 1024 };

/** What none waits for is removed so many at a time, of each place. */
const removedMax = 100;

const allPlaces = lanes.flatMap((lane) => Array.from({ length: shardCount }, (_, shard) => ({ lane, shard })));

/** What the sweeper works with. */
export interface Sweep {
  readonly pool: Pool;
  readonly stream: RunsStream;
  readonly publisher: Publisher;
  readonly events: Events;
  readonly ages: SweepAges;
}

interface Place {
  readonly lane: Lane;
  readonly shard: number;
}

/**
 * When the oldest message of a place was stored that a queued batch waits for; undefined when there is none. Those before it
 * that none waits for are removed: a server that was killed may give back what was acknowledged and never deliver it, and it
 * would stand before all that is lost later.
 */
async function oldestMs({ pool, stream, events, ages }: Sweep, { lane, shard }: Place): Promise<number | undefined> {
  for (let removed = 0; ; removed++) {
    const oldest = await stream.oldest(lane, shard);
    // one that was just processed is about to be acknowledged
    const isYoung = oldest === undefined || oldest.storedMs > nowUs() / 1000 - ages.afterMs;
    if (isYoung || removed === removedMax) return oldest?.storedMs;
    const { isAny } = await selectIsAnyOpen.one(pool, {
      batchIds: oldest.batches.map(({ id }) => id),
      publicIds: oldest.batches.map(({ publicId }) => saidPublicId(publicId) ?? null),
      epochs: oldest.batches.map(({ epoch }) => epoch),
    });
    if (isAny) return oldest.storedMs;
    await stream.remove(oldest.sequence);
    events.messageRemoved(lane, oldest.sequence);
  }
}

/** The places that may have lost something, each with the time before which its publications are lost. */
async function cutoffs(given: Sweep): Promise<(Place & { readonly cutoffUs: number })[]> {
  const { pool, ages } = given;
  const nowMs = nowUs() / 1000;
  const stale = await selectStalePlaces.all(pool, {
    lanes: allPlaces.map(({ lane }) => lane),
    shards: allPlaces.map(({ shard }) => shard),
    beforeUs: (nowMs - ages.afterMs) * 1000,
  });
  const isStale = (place: Place): boolean =>
    stale.some(({ lane, shard }) => lane === place.lane && shard === place.shard);
  const measured = await Promise.all(
    allPlaces.map(async (place) => ({
      ...place,
      cutoffUs: sweepCutoffMs(nowMs, await oldestMs(given, place), ages) * 1000,
    })),
  );
  return measured.filter(isStale);
}

/** The batches as the stream carries them, with the runs that are queued still. */
async function toPublications(tx: Transaction, batches: readonly SweptBatch[]): Promise<[Lane, QueuedBatch][]> {
  const begun = batches.filter((batch) => !batch.isFresh).map((batch) => batch.publicId);
  const deviations = await selectDeviationsOf(tx, '', begun);
  return batches.map((batch) => {
    const { lane, isFresh, epoch, runCount, finishedAtUs, ...carried } = batch;
    const open = {
      runCount,
      isFinished: finishedAtUs !== undefined,
      queueAttempts: 0,
      deviations: deviations.get(batch.publicId) ?? new Map(),
    };
    if (isFresh) return [lane, toQueuedBatch(carried, epoch, [], 0)];
    const indexes = queuedIndexes(open);
    const queuedEpoch = Math.min(epoch, ...indexes.map((index) => open.deviations.get(index)?.queuedEpoch ?? 0));
    return [lane, toQueuedBatch(carried, epoch, indexes, queuedEpoch, toTried(indexes, open.deviations))];
  });
}

/**
 * Publishes queued batches again that the stream has lost or never had, oldest first, in bounded
 * rounds until there are none. One process of all does it at a time. Does nothing while NATS is away.
 */
export async function sweep(given: Sweep, signal: AbortSignal): Promise<void> {
  const { pool, stream, publisher, events } = given;
  if (!stream.isConnected) return;
  const places = await cutoffs(given);
  if (places.length === 0) return;
  while (!signal.aborted) {
    const publications = await pool.transaction(async (tx) => {
      const { isLocked } = await tryLock.one(tx, { lock: sweepLock });
      if (!isLocked) return [];
      const batches = await takeUnpublished.all(tx, {
        lanes: places.map(({ lane }) => lane),
        shards: places.map(({ shard }) => shard),
        cutoffsUs: places.map(({ cutoffUs }) => cutoffUs),
        nowUs: nowUs(),
        batchesMax: roundMax.batches,
        bytesMax: roundMax.bytes,
      });
      return await toPublications(tx, batches);
    });
    if (publications.length === 0) return;
    const taken = await Promise.all(
      lanes.map((lane) =>
        publisher.publishNow(
          lane,
          publications.filter(([own]) => own === lane).map(([, batch]) => batch),
        ),
      ),
    );
    events.swept(publications.length);
    if (!taken.every((isTaken) => isTaken)) return;
  }
}
