import type { Pool, Transaction } from '@weir/kit/sql';
import { lockCatalog } from '../store/catalogs.js';
import { fromProjectId } from './messages.js';

/**
 * Runs a change of a project's catalog in a transaction, after every other one of the project has
 * ended: what `work` reads stays true until it is committed.
 */
export function changeCatalog<T>(pool: Pool, projectId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
  const key = { projectId: fromProjectId(projectId) };
  return pool.transaction(async (tx) => {
    await lockCatalog.run(tx, key);
    return await work(tx);
  });
}
