import { type NewWidget, type TimeRange, timeRange } from '@weir/dashboard-shapes';
import { addIssues, Faults, parseJson } from '@weir/kit/faults';
import { ifGiven, parseCleared, toChange } from '@weir/kit/patches';
import { type Actor, type ProjectRecord, parseActor, parseFreeText, parseName } from '@weir/kit/records';
import { parseWidgets, type Widget, type WidgetInput } from './widget.js';

/** What a client says of a dashboard, its widgets aside. */
interface DashboardFields {
  readonly name: string;
  readonly description: string;
  readonly timeRange?: TimeRange | undefined;
}

/** A dashboard as lists have it. */
export interface Dashboard extends ProjectRecord, DashboardFields {
  readonly widgetCount: number;
}

/** A dashboard with its widgets in the order in which they were saved. */
export interface DashboardDetail extends Dashboard {
  readonly widgets: readonly Widget[];
}

/** A new dashboard, checked. */
export interface NewDashboard extends DashboardFields {
  readonly widgets: readonly NewWidget[];
  readonly actor: Actor;
}

/** What a patch changes. */
export interface DashboardChange extends DashboardFields {
  readonly widgets: readonly NewWidget[];
}

function parseTimeRange(text: string, faults: Faults): TimeRange | undefined {
  const json = parseJson(text, '/time_range', faults);
  if (json === undefined) return undefined;
  const parsed = timeRange.safeParse(json, { reportInput: true });
  if (parsed.success) return parsed.data;
  addIssues(parsed.error.issues, faults, '/time_range');
  return undefined;
}

/** Checks a new dashboard. @throws WeirError `invalid_request` with every fault */
export function parseNewDashboard(
  input: {
    readonly name: string;
    readonly description: string;
    readonly timeRangeJson?: string | undefined;
    readonly widgets: readonly WidgetInput[];
    readonly actor?: Actor | undefined;
  },
  widgetsMax: number,
): NewDashboard {
  const faults = new Faults();
  const dashboard = {
    name: parseName(input.name, '/name', faults),
    description: parseFreeText(input.description, '/description', faults),
    timeRange: ifGiven(input.timeRangeJson, (text) => parseTimeRange(text, faults)),
    widgets: parseWidgets(input.widgets, widgetsMax, faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return dashboard;
}

/** What a patch says of a dashboard; members that it does not have are undefined. */
export interface DashboardPatchInput {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly timeRangeJson?: string | undefined;
  readonly widgets?: { readonly items: readonly WidgetInput[] } | undefined;
  /** Names of members, as clients know them, that are set to null. */
  readonly cleared: readonly string[];
}

/** Checks an update of a dashboard. @throws WeirError `invalid_request` with every fault */
export function parseDashboardUpdate(
  input: {
    readonly expectedRevision: number;
    readonly patch?: DashboardPatchInput | undefined;
    readonly actor?: Actor | undefined;
  },
  widgetsMax: number,
): { readonly change: Partial<DashboardChange>; readonly actor: Actor } {
  const faults = new Faults();
  const { patch } = input;
  if (input.expectedRevision < 1) {
    faults.add('/expected_revision', 'required', 'Give the revision that you read, an integer from 1.');
  }
  const given = {
    name: ifGiven(patch?.name, (name) => parseName(name, '/name', faults)),
    description: parseFreeText(patch?.description, '/description', faults),
    timeRange: ifGiven(patch?.timeRangeJson, (text) => parseTimeRange(text, faults)),
    widgets: ifGiven(patch?.widgets, ({ items }) => parseWidgets(items, widgetsMax, faults)),
  };
  const cleared = parseCleared(patch?.cleared ?? [], { time_range: 'timeRange' }, faults);
  const actor = parseActor(input.actor, '/actor', faults);
  faults.throwIfAny();
  return { change: toChange<DashboardChange>(given, cleared), actor };
}
