import { parseChange } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { DashboardsServiceImplementation } from '@weir/proto/dashboards';
import { selectDashboard, updateDashboardArchived, updateDashboardRestored } from '../store/dashboards.js';
import { loadLocked, toKey } from './load-dashboard.js';
import { toDetailMessage } from './messages.js';

/** The methods that archive and restore dashboards. */
export function changeMethods(
  pool: Pool,
): Pick<DashboardsServiceImplementation, 'archiveDashboard' | 'restoreDashboard'> {
  return {
    async archiveDashboard(request) {
      const key = toKey(request);
      const actor = parseChange(request);
      const dashboard = await pool.transaction(async (tx) => {
        const found = await loadLocked(tx, key);
        if (found.archivedAtUs !== undefined) return found;
        await updateDashboardArchived.run(tx, { ...key, actor });
        return await selectDashboard.one(tx, key);
      });
      return toDetailMessage(dashboard);
    },

    async restoreDashboard(request) {
      const key = toKey(request);
      const actor = parseChange(request);
      const dashboard = await pool.transaction(async (tx) => {
        const found = await loadLocked(tx, key);
        if (found.archivedAtUs === undefined) return found;
        await updateDashboardRestored.run(tx, { ...key, actor });
        return await selectDashboard.one(tx, key);
      });
      return toDetailMessage(dashboard);
    },
  };
}
