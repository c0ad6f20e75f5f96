import { fromProjectId } from '@weir/kit/records';
import type { Pool, Transaction } from '@weir/kit/sql';
import { inProject } from '@weir/kit/tenancy';
import { lockCatalog } from '../store/catalogs.js';

/**
 * Runs a change of a project's catalog in a transaction, after every other one of the project has
 * ended: what `work` reads stays true until it is committed.
 */
export type ChangeCatalog = <T>(projectId: string, work: (tx: Transaction) => Promise<T>) => Promise<T>;

/**
 * Changes of one project take turns by a lock in the database, and before that within this process:
 * however many wait, they hold one connection, and leave the others to other projects.
 */
export function catalogChanges(pool: Pool): ChangeCatalog {
  const lastOf = new Map<string, Promise<void>>();
  return async (project, work) => {
    const projectId = fromProjectId(project);
    const before = lastOf.get(projectId);
    const ended = Promise.withResolvers<void>();
    lastOf.set(projectId, ended.promise);
    try {
      await before;
      const change = async (tx: Transaction) => {
        await lockCatalog.run(tx, { projectId });
        return await work(tx);
      };
      return await inProject(projectId, () => pool.transaction(change));
    } finally {
      if (lastOf.get(projectId) === ended.promise) lastOf.delete(projectId);
      ended.resolve();
    }
  };
}
