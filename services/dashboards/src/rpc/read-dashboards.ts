import { cutPage } from '@weir/kit/pages';
import { parseRecordPage, visible } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import type {
  GetDashboardRequest,
  GetDashboardResponse,
  ListDashboardsRequest,
  ListDashboardsResponse,
} from '@weir/proto/dashboards';
import { selectDashboard, selectDashboards } from '../store/dashboards.js';
import { toKey } from './load-dashboard.js';
import { toDashboardMessage, toDetailMessage } from './messages.js';

/** Reads a dashboard with its widgets. */
export async function getDashboard(db: Db, request: GetDashboardRequest): Promise<GetDashboardResponse> {
  const found = await selectDashboard.maybe(db, toKey(request));
  return toDetailMessage(visible(found, 'dashboard', request.includeArchived));
}

/** Lists the dashboards of a project in order of creation, without their widgets. */
export async function listDashboards(db: Db, request: ListDashboardsRequest): Promise<ListDashboardsResponse> {
  const page = parseRecordPage(request);
  const read = await selectDashboards.all(db, page);
  const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
  return { dashboards: records.map(toDashboardMessage), nextAfter };
}
