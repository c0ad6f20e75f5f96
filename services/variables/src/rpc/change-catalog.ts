import { unavailable } from '@weir/kit/errors';
import { currentCallSignal } from '@weir/kit/reads';
import { fromProjectId } from '@weir/kit/records';
import type { Pool, Transaction } from '@weir/kit/sql';
import { inProject } from '@weir/kit/tenancy';
import { lockCatalog } from '../store/catalogs.js';

/** Changes of one project that wait for their turn in this process at most. */
const waitingMax = 64;

/**
 * Runs a change of a project's catalog in a transaction, after every other one of the project has
 * ended: what `work` reads stays true until it is committed. One whose caller has gone while it waited
 * is not begun.
 *
 * @param mustWait - however many wait: what points bring is not refused for what clients ask for
 * @throws WeirError `dependency_unavailable` when too many wait
 */
export type ChangeCatalog = <T>(
  projectId: string,
  work: (tx: Transaction) => Promise<T>,
  mustWait?: boolean,
) => Promise<T>;

/** The changes of one project in this process. */
interface Turns {
  count: number;
  last: Promise<void>;
}

/**
 * Changes of one project take turns by a lock in the database, and before that within this process:
 * however many wait, they hold one connection, and leave the others to other projects.
 */
export function catalogChanges(pool: Pool): ChangeCatalog {
  const turnsOf = new Map<string, Turns>();
  return async (project, work, mustWait = false) => {
    const projectId = fromProjectId(project);
    const turns = turnsOf.get(projectId) ?? { count: 0, last: Promise.resolve() };
    if (turns.count > waitingMax && !mustWait) {
      throw unavailable('Many changes of this project wait for their turn; send the request again after Retry-After.');
    }
    turnsOf.set(projectId, turns);
    const before = turns.last;
    const ended = Promise.withResolvers<void>();
    turns.last = ended.promise;
    turns.count++;
    try {
      await before;
      currentCallSignal()?.throwIfAborted();
      const change = async (tx: Transaction) => {
        await lockCatalog.run(tx, { projectId });
        return await work(tx);
      };
      return await inProject(projectId, () => pool.transaction(change));
    } finally {
      turns.count--;
      if (turns.count === 0) turnsOf.delete(projectId);
      ended.resolve();
    }
  };
}
