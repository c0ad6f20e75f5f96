import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 15;

/**
 * Waits until no run is queued any more.
 *
 * @param ingestion - a client of the ingestion service
 * @throws Error saying how much is left when it takes longer than `timeoutMs`
 */
export async function waitUntilDrained(
  ingestion: {
    getQueue(request: object): Promise<{ readonly unfinishedBatches: number; readonly unfinishedRuns: number }>;
  },
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { unfinishedBatches, unfinishedRuns } = await ingestion.getQueue({});
    if (unfinishedBatches === 0) return;
    if (Date.now() > deadline)
      throw new Error(`${unfinishedRuns} runs of ${unfinishedBatches} batches are queued after ${timeoutMs} ms`);
    await delay(pollMs);
  }
}
