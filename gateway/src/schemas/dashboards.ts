import {
  type NewWidget,
  type SavedWidget,
  savedWidget,
  type TimeRange,
  timeRange,
  widgetsOf,
} from '@weir/dashboard-shapes';
import type { Dashboard, DashboardPatch, Widget } from '@weir/proto/dashboards';
import { z } from 'zod';
import { idText } from './answers.js';
import type { Patch } from './patches.js';
import { exampleIds, recordExample, recordSchema, toRecordJson } from './records.js';
import { freeText, nameText } from './texts.js';

/** Records that the widgets of a dashboard may name, as many as the catalog can be asked for at once. */
export const referencesMax = 10_000;

/** What a client says of a dashboard. */
export function dashboardMembers(widgetsMax: number) {
  return {
    name: nameText,
    description: freeText,
    time_range: timeRange
      .nullable()
      .meta({ description: 'What its widgets show of time; null leaves it to the client.' }),
    widgets: widgetsOf(widgetsMax).meta({ description: 'All of its widgets, in their order.' }),
  };
}
type DashboardMembers = ReturnType<typeof dashboardMembers>;

/** What a client says of a new dashboard. */
export function newDashboard(members: DashboardMembers) {
  return z.strictObject(members).partial().extend({ name: nameText });
}
type NewDashboard = ReturnType<typeof newDashboard>;

const members = {
  name: z.string(),
  description: z.string(),
  time_range: timeRange.nullable(),
  widget_count: z.int().min(0),
};

const schema = recordSchema('Dashboard', members);

const exampleMembers = {
  name: 'North weir',
  description: 'The gauges below the bridge',
  time_range: { last_seconds: 86_400 },
  widget_count: 1,
};
const exampleId = '019c13a5-8000-7000-8000-7eae71d16600';

/** A dashboard in lists, without its widgets. */
export const dashboardShape = {
  schema,
  example: recordExample(exampleId, exampleMembers) satisfies z.output<typeof schema>,
};

const widgetExample: SavedWidget = {
  id: 'V1StGXR8_Z5jdHi6B-myT',
  dashboard_id: exampleId,
  type: 'time_series',
  title: 'Water level',
  layout: { x: 0, y: 0, w: 18, h: 8 },
  configuration: {
    series: [{ variable_id: exampleIds.variable, aggregation: 'mean', axis: 'left', color: null, style: 'line' }],
  },
};

/** A widget in answers. */
export const widgetShape = { schema: savedWidget, example: widgetExample };

/** What a widget names may be archived after it was saved. */
const unavailableReference = z.strictObject({
  path: z.string().meta({ description: 'JSON Pointer to the id in this dashboard.' }),
  type: z.enum(['variable', 'instrument', 'instrument_group']),
  id: idText,
  reason: z.enum(['archived', 'missing']),
});
/** What a widget names and cannot be shown. */
export type UnavailableReference = z.output<typeof unavailableReference>;

const detail = recordSchema('DashboardDetail', {
  ...members,
  widgets: z.array(savedWidget),
  unavailable_references: z
    .array(unavailableReference)
    .meta({ description: 'What its widgets name and what is archived by now: there is nothing to show of it.' }),
});
/** A dashboard with its widgets, as it is answered. */
export type DashboardDetail = z.output<typeof detail>;

/** A dashboard with its widgets. */
export const dashboardDetailShape = {
  schema: detail,
  example: recordExample(exampleId, {
    ...exampleMembers,
    widgets: [widgetExample],
    unavailable_references: [],
  }) satisfies DashboardDetail,
};

/** What an update of a dashboard answers. */
export const dashboardPatchResultShape = {
  schema: z.strictObject({ dashboard: schema, widgets: z.array(savedWidget) }),
  example: { dashboard: { ...dashboardShape.example, revision: 2 }, widgets: [widgetExample] },
};

/** What creates a dashboard, for the document: it names nothing that there may not be. */
export const newDashboardExample: z.input<NewDashboard> = {
  name: exampleMembers.name,
  description: exampleMembers.description,
  time_range: exampleMembers.time_range,
  widgets: [
    {
      type: 'text',
      title: '',
      layout: { x: 0, y: 0, w: 24, h: 2 },
      configuration: { markdown: 'Call the *duty officer* above 2.4 m.' },
    },
  ],
};

function toMembers(dashboard: Dashboard) {
  const { name, description, timeRangeJson, widgetCount } = dashboard;
  return {
    name,
    description,
    time_range: timeRangeJson === undefined ? null : (JSON.parse(timeRangeJson) as TimeRange),
    widget_count: widgetCount,
  };
}

/** A dashboard as lists answer it. */
export function toDashboardJson(dashboard: Dashboard): z.output<typeof schema> {
  return toRecordJson(dashboard, toMembers(dashboard));
}

/** The service keeps widgets as the shared schema reads them, so what it tells is one. */
export function toWidgetJson(widget: Widget): SavedWidget {
  const { id, dashboardId, type, title, layout, configurationJson } = widget;
  const { x = 0, y = 0, w = 1, h = 1 } = layout ?? {};
  const configuration = JSON.parse(configurationJson) as unknown;
  return { id, dashboard_id: dashboardId, type, title, layout: { x, y, w, h }, configuration } as SavedWidget;
}

/** A dashboard with its widgets, as it is answered. */
export function toDashboardDetailJson(
  dashboard: Dashboard,
  widgets: readonly SavedWidget[],
  unavailable: readonly UnavailableReference[],
): DashboardDetail {
  return toRecordJson(dashboard, {
    ...toMembers(dashboard),
    widgets: [...widgets],
    unavailable_references: [...unavailable],
  });
}

function fromWidget({ id, type, title, layout, configuration }: NewWidget): Widget {
  return { id: id ?? '', dashboardId: '', type, title, layout, configurationJson: JSON.stringify(configuration) };
}

function fromTimeRange(range: TimeRange | null | undefined): string | undefined {
  return range === null || range === undefined ? undefined : JSON.stringify(range);
}

/** A new dashboard as the service takes it. */
export function fromNewDashboard(dashboard: z.output<NewDashboard>) {
  return {
    name: dashboard.name,
    description: dashboard.description ?? '',
    timeRangeJson: fromTimeRange(dashboard.time_range),
    widgets: (dashboard.widgets ?? []).map(fromWidget),
  };
}

/** Changes of a dashboard as the service takes them. */
export function fromDashboardPatch({ given, cleared }: Patch<DashboardMembers>): DashboardPatch {
  return {
    name: given.name,
    description: given.description,
    timeRangeJson: fromTimeRange(given.time_range),
    widgets: given.widgets && { items: given.widgets.map(fromWidget) },
    cleared,
  };
}
