import type { Pool } from '@weir/kit/sql';
import type { GetQueueResponse } from '@weir/proto/ingestion';
import { admittedAtUs } from '../domain/batch-id.js';
import { selectQueueSize } from '../store/queue.js';

/** Answers how much is queued. */
export async function getQueue(pool: Pool): Promise<GetQueueResponse> {
  const { batches, runs, oldestId } = await selectQueueSize.one(pool, {});
  return {
    unfinishedBatches: batches,
    unfinishedRuns: runs,
    oldestAdmittedAtUs: oldestId === undefined ? undefined : admittedAtUs(oldestId),
  };
}
