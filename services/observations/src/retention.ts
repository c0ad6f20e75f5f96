import type { Pool } from '@weir/kit/sql';
import { dayUs, nowUs } from '@weir/kit/time';
import { advanceHorizon, deleteChanges, insertHorizon } from './store/change-retention.js';
import { deleteOldStoredBatches } from './store/stored-batches.js';
import { retentionLock, tryLock } from './store/work-locks.js';

/** So long what is needed to tell of a stored batch may be away. */
const storedBatchDays = 30;

/**
 * Deletes changes that are older than they are kept: what was written between two rounds is one
 * transaction, and the horizon moves on in it, so that no reader takes what is left for all there was.
 *
 * @returns how many were deleted
 */
export async function deleteOldChanges(pool: Pool, days: number, signal: AbortSignal): Promise<number> {
  const beforeUs = nowUs() - days * dayUs;
  await insertHorizon.run(pool, undefined);
  let deleted = 0;
  for (let isMore = true; isMore && !signal.aborted; ) {
    isMore = await pool.transaction(async (tx) => {
      const { isLocked } = await tryLock.one(tx, { lock: retentionLock });
      const horizon = isLocked ? await advanceHorizon.maybe(tx, { beforeUs }) : undefined;
      if (horizon === undefined) return false;
      deleted += await deleteChanges.run(tx, { beforeXid: horizon.xid });
      return true;
    });
  }
  return deleted;
}

/** Forgets what batches are stored under of which a process that ended has told, and nobody since who stores. */
export async function forgetStoredBatches(pool: Pool): Promise<void> {
  await deleteOldStoredBatches.run(pool, { beforeUs: nowUs() - storedBatchDays * dayUs });
}
