import { type Frame, missing, reasonCode, type Windows } from './frame.js';
import { windowRowsMax } from './limits.js';
import { squaresOf, sumOf } from './sums.js';

/** A function of the observations `start` to before `end`, at least `least` of them. */
interface WindowFunction {
  /** with fewer there is no value: an input is missing */
  readonly least: number;
  /** how often it looks at each observation; `sorts` looks the logarithm of their number more often */
  readonly passes: number;
  readonly sorts?: true;
  /** not finite where it overflows */
  readonly of: (windows: Windows, start: number, end: number) => number;
}

function meanOf(values: Float64Array, start: number, end: number): number {
  return sumOf(values, start, end) / (end - start);
}

function medianOf(values: Float64Array, start: number, end: number): number {
  const sorted = values.slice(start, end).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

function leastOf(values: Float64Array, start: number, end: number): number {
  let least = values[start] as number;
  for (let at = start + 1; at < end; at++) least = Math.min(least, values[at] as number);
  return least;
}

function greatestOf(values: Float64Array, start: number, end: number): number {
  let greatest = values[start] as number;
  for (let at = start + 1; at < end; at++) greatest = Math.max(greatest, values[at] as number);
  return greatest;
}

const deltaOf = (values: Float64Array, start: number, end: number): number =>
  (values[end - 1] as number) - (values[start] as number);

const table: ReadonlyMap<string, WindowFunction> = new Map<string, WindowFunction>([
  ['count', { least: 0, passes: 0, of: (_, start, end) => end - start }],
  ['sum', { least: 1, passes: 1, of: ({ values }, start, end) => sumOf(values, start, end) }],
  ['mean', { least: 1, passes: 1, of: ({ values }, start, end) => meanOf(values, start, end) }],
  [
    'stddev',
    {
      least: 2,
      passes: 2,
      of: ({ values }, start, end) =>
        Math.sqrt(squaresOf(values, start, end, meanOf(values, start, end)) / (end - start - 1)),
    },
  ],
  ['median', { least: 1, passes: 1, sorts: true, of: ({ values }, start, end) => medianOf(values, start, end) }],
  ['min', { least: 1, passes: 1, of: ({ values }, start, end) => leastOf(values, start, end) }],
  ['max', { least: 1, passes: 1, of: ({ values }, start, end) => greatestOf(values, start, end) }],
  ['first', { least: 1, passes: 0, of: ({ values }, start) => values[start] as number }],
  ['last', { least: 1, passes: 0, of: ({ values }, _, end) => values[end - 1] as number }],
  ['delta', { least: 2, passes: 0, of: ({ values }, start, end) => deltaOf(values, start, end) }],
  [
    'rate',
    {
      least: 2,
      passes: 0,
      of: ({ values, atUs }, start, end) =>
        deltaOf(values, start, end) / (((atUs[end - 1] as number) - (atUs[start] as number)) / 1e6),
    },
  ],
]);

/** The window function of a name that is one. */
export function windowFunctionOf(name: string): WindowFunction {
  const found = table.get(name);
  if (found === undefined) throw new Error(`${name} is no function of windows`);
  return found;
}

/** The value of a window function over an input's window in the frame's row. */
export function windowValue(frame: Frame, { least, of }: WindowFunction, input: number): number {
  const windows = frame.inputs[input]?.windows;
  if (windows === undefined) throw new Error(`input ${input} has no windows`);
  const start = windows.starts[frame.row] as number;
  const end = windows.ends[frame.row] as number;
  if (end - start < least) return missing(frame, reasonCode.missing_input);
  if (end - start > windowRowsMax) return missing(frame, reasonCode.window_too_large);
  const value = of(windows, start, end);
  return Number.isFinite(value) ? value : missing(frame, reasonCode.overflow);
}
