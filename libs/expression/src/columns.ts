import type { InputNeeds } from './compilation.js';
import type { InputColumns, Series, Windows } from './frame.js';

/** How an input looks back in time. */
export interface LookBack {
  readonly kind: 'self_variable' | 'instrument_variable';
  /** of its `past_buffer_seconds`; undefined where it has none */
  readonly bufferUs: number | undefined;
}

/** For each instant, how many observations come before it, or with it when `isWith`. */
function countsUntil(instantsUs: Float64Array, shiftUs: number, { atUs }: Series, isWith: boolean): Uint32Array {
  const counts = new Uint32Array(instantsUs.length);
  let at = 0;
  for (let row = 0; row < instantsUs.length; row++) {
    const untilUs = (instantsUs[row] as number) - shiftUs;
    while (at < atUs.length && ((atUs[at] as number) < untilUs || (isWith && atUs[at] === untilUs))) at++;
    counts[row] = at;
  }
  return counts;
}

/** The last observation of each range, NaN where it is empty. */
function lastOf({ values }: Series, starts: Uint32Array | undefined, ends: Uint32Array): Float64Array {
  const last = new Float64Array(ends.length);
  for (let row = 0; row < ends.length; row++) {
    const end = ends[row] as number;
    last[row] = end > (starts?.[row] ?? 0) ? (values[end - 1] as number) : Number.NaN;
  }
  return last;
}

/** The observations of each window `(t - buffer, t]`. */
function windowsOf(instantsUs: Float64Array, series: Series, bufferUs: number): Windows {
  const starts = countsUntil(instantsUs, bufferUs, series, true);
  const ends = countsUntil(instantsUs, 0, series, true);
  return { ...series, starts, ends };
}

/** The observations at the very instants, NaN where there is none. */
function exactly(instantsUs: Float64Array, series: Series): Float64Array {
  const before = countsUntil(instantsUs, 0, series, false);
  return lastOf(series, before, countsUntil(instantsUs, 0, series, true));
}

/**
 * Brings the observations of a variable to the instants of an evaluation.
 *
 * @param instantsUs - ascending
 * @param series - all observations of it after the first instant less the buffer, until the last instant;
 *   for `previous` without a buffer also the last one before the first instant
 */
export function columnsOf(
  needs: InputNeeds,
  { kind, bufferUs }: LookBack,
  instantsUs: Float64Array,
  series: Series,
): InputColumns {
  const windows = bufferUs === undefined ? undefined : windowsOf(instantsUs, series, bufferUs);
  const isAsOf = kind === 'instrument_variable' && windows !== undefined;
  return {
    ...(needs.value && {
      values: isAsOf ? lastOf(series, windows.starts, windows.ends) : exactly(instantsUs, series),
    }),
    ...(needs.previous && {
      previous: lastOf(series, windows?.starts, countsUntil(instantsUs, 0, series, false)),
    }),
    ...(needs.windows && windows !== undefined && { windows }),
  };
}

/**
 * The value in force at each instant.
 *
 * @param instantsUs - ascending
 * @param steps - in ascending order of their start
 */
export function stepColumn(
  instantsUs: Float64Array,
  steps: readonly { readonly startTimeUs: number; readonly value: number }[],
): InputColumns {
  const series = {
    atUs: Float64Array.from(steps, ({ startTimeUs }) => startTimeUs),
    values: Float64Array.from(steps, ({ value }) => value),
  };
  return { values: lastOf(series, undefined, countsUntil(instantsUs, 0, series, true)) };
}
