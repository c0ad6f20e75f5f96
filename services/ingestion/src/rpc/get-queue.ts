import { setTimeout as delay } from 'node:timers/promises';
import { idTimeUs } from '@weir/kit/ids';
import type { Pool } from '@weir/kit/sql';
import type { GetQueueResponse } from '@weir/proto/ingestion';
import { type Backlog, readQueueSize } from '../backlog.js';
import { selectOldestQueued } from '../store/queue.js';
import type { RunsStream } from '../stream/runs-stream.js';

/** NATS may take so long to tell how full it is, in milliseconds: who asks for the queue does not wait longer for it. */
const usageTimeoutMs = 1000;

/** How full the stream is; nothing while NATS does not tell. */
async function readUsage(stream: RunsStream) {
  const usage = stream.usage().catch(() => undefined);
  const told = await Promise.race([usage, delay(usageTimeoutMs, undefined, { ref: false })]);
  return told === undefined ? {} : { streamBytes: told.bytes, streamBytesMax: told.bytesMax };
}

/** Answers how much is queued, and whether it can come on. */
export async function getQueue(
  pool: Pool,
  { stream, backlog }: { readonly stream: RunsStream; readonly backlog: Backlog },
): Promise<GetQueueResponse> {
  const [{ batches, runs }, { oldestId, oldestFreshId }, usage] = await Promise.all([
    readQueueSize(pool),
    selectOldestQueued.one(pool, {}),
    readUsage(stream),
  ]);
  return {
    unfinishedBatches: batches,
    unfinishedRuns: runs,
    oldestAdmittedAtUs: oldestId === undefined ? undefined : idTimeUs(oldestId),
    oldestFreshAdmittedAtUs: oldestFreshId === undefined ? undefined : idTimeUs(oldestFreshId),
    isStreamConnected: stream.isConnected,
    isBacklogFull: backlog.isFull,
    ...usage,
  };
}
