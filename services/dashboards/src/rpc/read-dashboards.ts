import { cutPage, parsePage } from '@weir/kit/pages';
import { fromProjectId, visible } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { DashboardsServiceImplementation } from '@weir/proto/dashboards';
import { selectDashboard, selectDashboards } from '../store/dashboards.js';
import { toKey } from './load-dashboard.js';
import { toDashboardMessage, toDetailMessage } from './messages.js';

/** The methods that read dashboards. */
export function readMethods(pool: Pool): Pick<DashboardsServiceImplementation, 'getDashboard' | 'listDashboards'> {
  return {
    async getDashboard(request) {
      const found = await selectDashboard.maybe(pool, toKey(request));
      return toDetailMessage(visible(found, 'dashboard', request.includeArchived));
    },

    async listDashboards({ projectId, q, includeArchived, ...request }) {
      const page = parsePage(request);
      const list = { projectId: fromProjectId(projectId), q, includeArchived, ...page };
      const read = await selectDashboards.all(pool, list);
      const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
      return { dashboards: records.map(toDashboardMessage), nextAfter };
    },
  };
}
