import { newShortId } from '@weir/kit/ids';
import { applyChange, isChanged } from '@weir/kit/patches';
import { requireActive } from '@weir/kit/records';
import { checkRevision } from '@weir/kit/revisions';
import type { Pool } from '@weir/kit/sql';
import type { UpdateDashboardRequest, UpdateDashboardResponse } from '@weir/proto/dashboards';
import type { DashboardsConfig } from '../config.js';
import { type DashboardDetail, parseDashboardUpdate } from '../domain/dashboard.js';
import { withIds } from '../domain/widget.js';
import { selectDashboard, updateDashboard as storeChange } from '../store/dashboards.js';
import { deleteWidgets, insertWidgets } from '../store/widgets.js';
import { loadLocked, toKey } from './load-dashboard.js';
import { toDetailMessage } from './messages.js';

/** Changes what a request gives of a dashboard; widgets that it gives replace all that there were. */
export async function updateDashboard(
  pool: Pool,
  request: UpdateDashboardRequest,
  { widgetsPerDashboardMax }: Pick<DashboardsConfig, 'widgetsPerDashboardMax'>,
): Promise<UpdateDashboardResponse> {
  const { change, actor } = parseDashboardUpdate(request, widgetsPerDashboardMax);
  const key = toKey(request);
  const { widgets: given, ...members } = change;
  const widgets = given && withIds(given, newShortId);
  const dashboard = await pool.transaction(async (tx) => {
    const found = await loadLocked(tx, key);
    requireActive(found, 'path/dashboard_id', 'dashboard');
    checkRevision(request.expectedRevision, found);
    const changed = applyChange<DashboardDetail>(found, { ...members, ...(widgets && { widgets }) });
    if (changed === undefined) return found;
    const changesWidgets = isChanged(found, changed, 'widgets');
    await storeChange.run(tx, { ...changed, ...key, widgetCount: changed.widgets.length, changesWidgets, actor });
    if (changesWidgets) {
      await deleteWidgets.run(tx, key);
      await insertWidgets.run(tx, { ...key, widgets: changed.widgets });
    }
    return await selectDashboard.one(tx, key);
  });
  return toDetailMessage(dashboard);
}
