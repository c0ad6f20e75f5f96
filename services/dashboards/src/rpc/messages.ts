import { toRecordMessage } from '@weir/kit/records';
import type { Dashboard as DashboardMessage, Widget as WidgetMessage } from '@weir/proto/dashboards';
import type { Dashboard, DashboardDetail } from '../domain/dashboard.js';
import type { Widget } from '../domain/widget.js';

/** A dashboard as it travels, without its widgets. */
export function toDashboardMessage(dashboard: Dashboard): DashboardMessage {
  return {
    ...toRecordMessage(dashboard),
    description: dashboard.description,
    timeRangeJson: dashboard.timeRange && JSON.stringify(dashboard.timeRange),
    widgetCount: dashboard.widgetCount,
  };
}

/** A widget as it travels. */
export function toWidgetMessage(widget: Widget, dashboardId: string): WidgetMessage {
  return {
    id: widget.id,
    dashboardId,
    type: widget.type,
    title: widget.title,
    layout: widget.layout,
    configurationJson: JSON.stringify(widget.configuration),
  };
}

/** A dashboard with its widgets, as answers carry them. */
export function toDetailMessage(dashboard: DashboardDetail): {
  dashboard: DashboardMessage;
  widgets: WidgetMessage[];
} {
  return {
    dashboard: toDashboardMessage(dashboard),
    widgets: dashboard.widgets.map((widget) => toWidgetMessage(widget, dashboard.id)),
  };
}
