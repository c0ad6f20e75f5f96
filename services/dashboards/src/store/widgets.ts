import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Widget } from '../domain/widget.js';
import type { DashboardKey } from './dashboards.js';

const none = z.object({});
const widget = z.object({ widget: z.custom<Widget>() });

/** Widgets of a dashboard in the order of their ids, which holds while the set is replaced. */
export const selectWidgets = statement(
  widget,
  (list: DashboardKey & { readonly after: string; readonly readMax: number }) => sql`
    select json_build_object('id', id, 'type', type, 'title', title, 'layout', layout,
      'configuration', configuration) as widget
    from dashboards.widgets
    where project_id = ${list.projectId} and dashboard_id = ${list.dashboardId} and id > ${list.after}
    order by id
    limit ${list.readMax}`,
);

/** One widget of a dashboard. */
export const selectWidget = statement(
  widget,
  ({ projectId, dashboardId, widgetId }: DashboardKey & { readonly widgetId: string }) => sql`
    select json_build_object('id', id, 'type', type, 'title', title, 'layout', layout,
      'configuration', configuration) as widget
    from dashboards.widgets
    where project_id = ${projectId} and dashboard_id = ${dashboardId} and id = ${widgetId}`,
);

/** Removes all widgets of a dashboard. */
export const deleteWidgets = statement(
  none,
  ({ projectId, dashboardId }: DashboardKey) => sql`
    delete from dashboards.widgets where project_id = ${projectId} and dashboard_id = ${dashboardId}`,
);

/** Adds widgets in their order. */
export const insertWidgets = statement(
  none,
  ({ projectId, dashboardId, widgets }: DashboardKey & { readonly widgets: readonly Widget[] }) => sql`
    insert into dashboards.widgets (project_id, dashboard_id, id, position, type, title, layout, configuration)
    select ${projectId}, ${dashboardId}, widget ->> 'id', position, widget ->> 'type', widget ->> 'title',
      widget -> 'layout', widget -> 'configuration'
    from json_array_elements(${JSON.stringify(widgets)}::json) with ordinality as given (widget, position)`,
);
