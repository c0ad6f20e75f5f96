import { createInstruments, observeGauges } from '@weir/kit/metrics';
import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { Backlog } from './backlog.js';
import { metrics } from './metrics.js';
import { getQueue } from './rpc/get-queue.js';
import type { RunsStream } from './stream/runs-stream.js';

/** Tells how much waits, in PostgreSQL and in the stream, whenever somebody asks; until disposed. */
export function observeBacklog(pool: Pool, stream: RunsStream, backlog: Backlog): Disposable {
  const { backlogBatches, backlogRuns, backlogAge, backlogFull, ...ofStream } = createInstruments(metrics);
  const { streamConnected, streamMessages, streamSize, streamSizeMax } = ofStream;
  const queue = observeGauges([backlogBatches, backlogRuns, backlogAge, backlogFull], async () => {
    const { oldestFreshAdmittedAtUs: freshUs, ...size } = await getQueue(pool, { stream, backlog });
    backlogBatches.set(size.unfinishedBatches);
    backlogRuns.set(size.unfinishedRuns);
    backlogFull.set(backlog.isFull ? 1 : 0);
    // of one that is retried, when it was admitted says nothing of how long it waits
    backlogAge.set(freshUs === undefined ? 0 : Math.max(0, (nowUs() - freshUs) / 1e6));
  });
  const usage = observeGauges([streamConnected, streamMessages, streamSize, streamSizeMax], async () => {
    streamConnected.set(stream.isConnected ? 1 : 0);
    if (!stream.isConnected) return;
    const { messages, bytes, bytesMax } = await stream.usage();
    streamMessages.set(messages);
    streamSize.set(bytes);
    streamSizeMax.set(bytesMax);
  });
  return {
    [Symbol.dispose]() {
      queue[Symbol.dispose]();
      usage[Symbol.dispose]();
    },
  };
}
