/**
 * What dashboards look like: the one declaration by which the dashboards service checks them, and the
 * gateway checks and documents them. Defaults are filled in by parsing.
 */
export { type Reference, referencesOf } from './references.js';
export { type TimeRange, timeRange } from './time-range.js';
export { type NewWidget, newWidget, type SavedWidget, savedWidget, widgetsOf } from './widget.js';
