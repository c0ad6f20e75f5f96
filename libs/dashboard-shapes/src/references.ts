import type { NewWidget } from './widget.js';

/** Something of the project that a widget shows. */
export interface Reference {
  readonly kind: 'variable' | 'instrument' | 'group';
  readonly id: string;
  /** JSON Pointer to the id, from the dashboard. */
  readonly path: string;
}

function referencesOfWidget(widget: NewWidget, at: string): Reference[] {
  switch (widget.type) {
    case 'time_series':
      return widget.configuration.series.map(({ variable_id: id }, index) => ({
        kind: 'variable',
        id,
        path: `${at}/series/${index}/variable_id`,
      }));
    case 'latest_value':
    case 'gauge':
      return [{ kind: 'variable', id: widget.configuration.variable_id, path: `${at}/variable_id` }];
    case 'table':
      return widget.configuration.variable_ids.map((id, index) => ({
        kind: 'variable',
        id,
        path: `${at}/variable_ids/${index}`,
      }));
    case 'map':
      return 'group_id' in widget.configuration
        ? [{ kind: 'group', id: widget.configuration.group_id, path: `${at}/group_id` }]
        : widget.configuration.instrument_ids.map((id, index) => ({
            kind: 'instrument',
            id,
            path: `${at}/instrument_ids/${index}`,
          }));
    case 'text':
      return [];
  }
}

/** Everything that widgets of one dashboard refer to, in their order; what stands twice is there twice. */
export function referencesOf(widgets: readonly NewWidget[]): Reference[] {
  return widgets.flatMap((widget, index) => referencesOfWidget(widget, `/widgets/${index}/configuration`));
}
