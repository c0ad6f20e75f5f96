import { leastIdAt } from '@weir/kit/ids';
import type { Pool, Transaction } from '@weir/kit/sql';
import { dayUs, nowUs } from '@weir/kit/time';
import type { Events } from './events.js';
import { deleteHeldBatches, deleteOldFiles, deleteOldKeys, holdOldBatches } from './store/retention.js';
import { retentionLock, tryLock } from './store/sweep.js';

/** Rows of one transaction. */
const chunk = 2000;

/** What is kept for how long. */
export interface Retention {
  readonly pool: Pool;
  readonly events: Events;
  readonly keyDays: number;
  readonly runDays: number;
  /** Of runs that did not succeed; 0 for as long as nobody has retried them. */
  readonly failedRunDays: number;
}

/** How far the batches were looked through, and when that began. */
export interface Walk {
  readonly after: string;
  readonly sinceUs: number;
}

/** Runs `work` in a transaction, unless another process is deleting. */
async function alone<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T | undefined> {
  return await pool.transaction(async (tx) => {
    const { isLocked } = await tryLock.one(tx, { lock: retentionLock });
    return isLocked ? await work(tx) : undefined;
  });
}

/**
 * Deletes what is older than its retention, in bounded transactions: Idempotency-Keys, then
 * batches whose runs have all succeeded, then the runs of files. A batch and a file stay as long as the key
 * that replays them.
 *
 * @param walk - of the time before: what was seen then and is kept is looked at again once a day
 */
export async function deleteExpired(given: Retention, signal: AbortSignal, walk?: Walk): Promise<Walk | undefined> {
  const { pool, events, keyDays, runDays, failedRunDays } = given;
  const at = nowUs();
  const keysBeforeUs = at - keyDays * dayUs;
  let keys = 0;
  for (let isMore = true; isMore && !signal.aborted; ) {
    const deleted = await alone(pool, (tx) => deleteOldKeys.run(tx, { beforeUs: keysBeforeUs, limit: chunk }));
    if (deleted === undefined) return walk;
    keys += deleted;
    isMore = deleted === chunk;
  }
  const days = Math.max(runDays, keyDays);
  const before = leastIdAt(at - days * dayUs);
  const failedBefore = leastIdAt(failedRunDays === 0 ? 0 : at - Math.max(failedRunDays, days) * dayUs);
  let batches = 0;
  const isStale = walk === undefined || at - walk.sinceUs > dayUs;
  const { after: start, sinceUs } = isStale ? { after: leastIdAt(0), sinceUs: at } : walk;
  let after = start;
  while (!signal.aborted) {
    const range = { after, before, failedBefore, limit: chunk };
    const done = await alone(pool, async (tx) => {
      const { held, lastId } = await holdOldBatches.one(tx, range);
      return { lastId, ...(await deleteHeldBatches.one(tx, { held })) };
    });
    if (done === undefined) return { after, sinceUs };
    batches += done.deleted;
    if (done.lastId === undefined) break;
    after = done.lastId;
  }
  let files = 0;
  for (let isMore = true; isMore && !signal.aborted; ) {
    const deleted = await alone(pool, (tx) => deleteOldFiles.run(tx, { before, limit: chunk }));
    if (deleted === undefined) return { after, sinceUs };
    files += deleted;
    isMore = deleted === chunk;
  }
  events.forgotten(keys, batches, files);
  return { after, sinceUs };
}
