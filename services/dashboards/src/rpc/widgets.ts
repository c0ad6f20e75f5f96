import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { isShortId } from '@weir/kit/ids';
import { cutPage, parseReadMax } from '@weir/kit/pages';
import { visible } from '@weir/kit/records';
import type { Db, Pool } from '@weir/kit/sql';
import type { DashboardsServiceImplementation } from '@weir/proto/dashboards';
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

/** The methods that read widgets. */
export function widgetMethods(pool: Pool): Pick<DashboardsServiceImplementation, 'listWidgets' | 'getWidget'> {
  return {
    async listWidgets(request) {
      const key = toKey(request);
      const readMax = parseReadMax(request.limit);
      const after = parseAfter(request.after);
      await requireVisible(pool, key, request.includeArchived);
      const read = await selectWidgets.all(pool, { ...key, after, readMax });
      const { records, nextAfter } = cutPage(read, readMax, ({ widget }) => widget.id);
      return { widgets: records.map(({ widget }) => toWidgetMessage(widget, key.dashboardId)), nextAfter };
    },

    async getWidget(request) {
      const key = toKey(request);
      await requireVisible(pool, key, request.includeArchived);
      const { widgetId } = request;
      const found = isShortId(widgetId) ? await selectWidget.maybe(pool, { ...key, widgetId }) : undefined;
      if (found === undefined) throw notFound('widget');
      return { widget: toWidgetMessage(found.widget, key.dashboardId) };
    },
  };
}
