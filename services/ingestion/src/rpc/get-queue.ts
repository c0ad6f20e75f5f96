import { idTimeUs } from '@weir/kit/ids';
import type { Pool } from '@weir/kit/sql';
import type { GetQueueResponse } from '@weir/proto/ingestion';
import type { Backlog } from '../backlog.js';
import { selectQueueSize } from '../store/queue.js';
import type { RunsStream } from '../stream/runs-stream.js';

/** Answers how much is queued, and whether it can come on. */
export async function getQueue(
  pool: Pool,
  { stream, backlog }: { readonly stream: RunsStream; readonly backlog: Backlog },
): Promise<GetQueueResponse> {
  const { batches, runs, oldestId } = await selectQueueSize.one(pool, {});
  return {
    unfinishedBatches: batches,
    unfinishedRuns: runs,
    oldestAdmittedAtUs: oldestId === undefined ? undefined : idTimeUs(oldestId),
    isStreamConnected: stream.isConnected,
    isBacklogFull: backlog.isFull,
  };
}
