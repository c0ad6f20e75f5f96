import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { isShortId } from '@weir/kit/ids';
import { cutPage, parseReadMax } from '@weir/kit/pages';
import { visible } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import type {
  GetWidgetRequest,
  GetWidgetResponse,
  ListWidgetsRequest,
  ListWidgetsResponse,
} from '@weir/proto/dashboards';
import { type DashboardKey, selectDashboardState } from '../store/dashboards.js';
import { selectWidget, selectWidgets } from '../store/widgets.js';
import { toKey } from './load-dashboard.js';
import { toWidgetMessage } from './messages.js';

async function requireVisible(db: Db, key: DashboardKey, includeArchived: boolean): Promise<void> {
  visible(await selectDashboardState.maybe(db, key), 'dashboard', includeArchived);
}

/** Where a page of widgets begins: after the id that the page before ended with. @throws WeirError `invalid_request` */
function parseAfter(after: string): string {
  const faults = new Faults();
  if (after !== '' && !isShortId(after)) {
    faults.add('/after', 'invalid_value', 'Give the id that the page before ended with.');
  }
  faults.throwIfAny();
  return after;
}

/** Lists the widgets of a dashboard in the order of their ids. */
export async function listWidgets(db: Db, request: ListWidgetsRequest): Promise<ListWidgetsResponse> {
  const key = toKey(request);
  const readMax = parseReadMax(request.limit);
  const after = parseAfter(request.after);
  await requireVisible(db, key, request.includeArchived);
  const read = await selectWidgets.all(db, { ...key, after, readMax });
  const { records, nextAfter } = cutPage(read, readMax, ({ widget }) => widget.id);
  return { widgets: records.map(({ widget }) => toWidgetMessage(widget, key.dashboardId)), nextAfter };
}

/** Reads one widget of a dashboard. */
export async function getWidget(db: Db, request: GetWidgetRequest): Promise<GetWidgetResponse> {
  const key = toKey(request);
  await requireVisible(db, key, request.includeArchived);
  const { widgetId } = request;
  const found = isShortId(widgetId) ? await selectWidget.maybe(db, { ...key, widgetId }) : undefined;
  if (found === undefined) throw notFound('widget');
  return { widget: toWidgetMessage(found.widget, key.dashboardId) };
}
