import { newId, newShortId } from '@weir/kit/ids';
import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { CreateDashboardRequest, CreateDashboardResponse } from '@weir/proto/dashboards';
import type { DashboardsConfig } from '../config.js';
import { parseNewDashboard } from '../domain/dashboard.js';
import { withIds } from '../domain/widget.js';
import { insertDashboard, selectDashboard } from '../store/dashboards.js';
import { insertWidgets } from '../store/widgets.js';
import { toDetailMessage } from './messages.js';

/** Creates a dashboard with its widgets. */
export async function createDashboard(
  pool: Pool,
  request: CreateDashboardRequest,
  { widgetsPerDashboardMax }: Pick<DashboardsConfig, 'widgetsPerDashboardMax'>,
): Promise<CreateDashboardResponse> {
  const key = { projectId: fromProjectId(request.projectId), dashboardId: newId() };
  const fields = parseNewDashboard(request, widgetsPerDashboardMax);
  const widgets = withIds(fields.widgets, newShortId);
  const dashboard = await pool.transaction(async (tx) => {
    await insertDashboard.run(tx, { ...fields, ...key, widgetCount: widgets.length });
    if (widgets.length > 0) await insertWidgets.run(tx, { ...key, widgets });
    return await selectDashboard.one(tx, key);
  });
  return toDetailMessage(dashboard);
}
