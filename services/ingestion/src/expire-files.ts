import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { Events } from './events.js';
import { expireFileRuns } from './store/file-runs.js';

/** Rows of one statement. */
const chunk = 1000;

/** Fails the runs of files that nobody has gone on with in time, in bounded statements. */
export async function expireFiles(pool: Pool, events: Events, signal: AbortSignal): Promise<void> {
  let expired = chunk;
  while (expired === chunk && !signal.aborted) {
    expired = await expireFileRuns.run(pool, { nowUs: nowUs(), limit: chunk });
    events.filesExpired(expired);
  }
}
