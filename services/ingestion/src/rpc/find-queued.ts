import type { Pool } from '@weir/kit/sql';
import type { FindQueuedRequest, FindQueuedResponse } from '@weir/proto/ingestion';
import { batchOf, toBatchNames } from '../domain/batch-name.js';
import type { Events } from '../events.js';
import { selectQueued } from '../store/queue.js';
import { noteUnknown } from './note-unknown.js';

/** Answers which of some batches have queued runs still, and counts those that are not there. */
export async function findQueued(
  pool: Pool,
  events: Events,
  { batchIds, publicIds }: FindQueuedRequest,
): Promise<FindQueuedResponse> {
  const names = toBatchNames(batchIds, publicIds);
  const queued = new Map((await selectQueued.all(pool, { batchIds })).map((place) => [place.batchId, place]));
  const areQueued = names.map((name) => batchOf(name, queued) !== undefined);
  await noteUnknown(
    pool,
    events,
    names.filter((_, at) => areQueued[at] === false),
  );
  return { areQueued };
}
