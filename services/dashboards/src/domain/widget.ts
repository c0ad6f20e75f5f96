import { type NewWidget, widgetsOf } from '@weir/dashboard-shapes';
import { addIssues, type Faults, parseJson } from '@weir/kit/faults';

/** A widget of a dashboard. */
export type Widget = NewWidget & { readonly id: string };

/** A widget as a request has it. */
export interface WidgetInput {
  /** Empty: to be made. */
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly layout?: { readonly x: number; readonly y: number; readonly w: number; readonly h: number } | undefined;
  readonly configurationJson: string;
}

function toJson({ id, type, title, layout, configurationJson }: WidgetInput, path: string, faults: Faults) {
  return {
    ...(id !== '' && { id }),
    type,
    title,
    layout: layout && { x: layout.x, y: layout.y, w: layout.w, h: layout.h },
    configuration: parseJson(configurationJson, `${path}/configuration`, faults),
  };
}

/** Checks a set of widgets, at most `max`; what was left out is filled in, but for ids. */
export function parseWidgets(inputs: readonly WidgetInput[], max: number, faults: Faults): readonly NewWidget[] {
  const json = inputs.map((input, index) => toJson(input, `/widgets/${index}`, faults));
  const parsed = widgetsOf(max).safeParse(json, { reportInput: true });
  if (parsed.success) return parsed.data;
  addIssues(parsed.error.issues, faults, '/widgets');
  return [];
}

/** The same widgets, each with an id: its own, or a new one. */
export function withIds(widgets: readonly NewWidget[], newId: () => string): readonly Widget[] {
  return widgets.map((widget) => ({ ...widget, id: widget.id ?? newId() }));
}
