import { parseChange } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type {
  ArchiveDashboardRequest,
  ArchiveDashboardResponse,
  RestoreDashboardRequest,
  RestoreDashboardResponse,
} from '@weir/proto/dashboards';
import { selectDashboard, updateDashboardArchived, updateDashboardRestored } from '../store/dashboards.js';
import { loadLocked, toKey } from './load-dashboard.js';
import { toDetailMessage } from './messages.js';

/** Archives a dashboard; one that is archived stays as it is. */
export async function archiveDashboard(
  pool: Pool,
  request: ArchiveDashboardRequest,
): Promise<ArchiveDashboardResponse> {
  const key = toKey(request);
  const actor = parseChange(request);
  const dashboard = await pool.transaction(async (tx) => {
    const found = await loadLocked(tx, key);
    if (found.archivedAtUs !== undefined) return found;
    await updateDashboardArchived.run(tx, { record: found, actor });
    return await selectDashboard.one(tx, key);
  });
  return toDetailMessage(dashboard);
}

/** Restores an archived dashboard; one that is not archived stays as it is. */
export async function restoreDashboard(
  pool: Pool,
  request: RestoreDashboardRequest,
): Promise<RestoreDashboardResponse> {
  const key = toKey(request);
  const actor = parseChange(request);
  const dashboard = await pool.transaction(async (tx) => {
    const found = await loadLocked(tx, key);
    if (found.archivedAtUs === undefined) return found;
    await updateDashboardRestored.run(tx, { record: found, actor });
    return await selectDashboard.one(tx, key);
  });
  return toDetailMessage(dashboard);
}
