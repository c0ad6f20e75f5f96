import type { Series } from '@weir/expression';
import type { Rows } from './arrange-rows.js';
import type { Evaluation } from './evaluate-instants.js';
import type { SettledResults } from './settle-results.js';

/** What has to be written so that the results of a variable are stored. */
export interface ResultWrites {
  /** Whether all that is stored in the evaluated ranges goes first. */
  readonly isRewritten: boolean;
  /** Results that are not there, or no longer. */
  readonly inserts: Series;
  /** Results that may take the place of others. */
  readonly puts: Series;
  readonly deletesUs: Float64Array;
}

const none: Series = { atUs: new Float64Array(), values: new Float64Array() };

/** From so many results on it is cheaper to write all of a range again than to change most of it. */
const rewrittenMin = 256;

/** Those that have a value. */
function valued({ instantsUs, values }: Evaluation): Series {
  const found = { atUs: new Float64Array(values.length), values: new Float64Array(values.length) };
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (value !== value) continue;
    found.atUs[count] = instantsUs[i] as number;
    found.values[count++] = value;
  }
  return { atUs: found.atUs.subarray(0, count), values: found.values.subarray(0, count) };
}

/** Decides how results are written: where most of many are changed, what is stored is deleted and all are copied. */
export function planWrites(evaluation: Evaluation, settled: SettledResults, storedCount: number): ResultWrites {
  const { added, changed, removedUs } = settled;
  const touched = changed.atUs.length + removedUs.length;
  if (touched >= rewrittenMin && touched * 2 >= storedCount) {
    return { isRewritten: true, inserts: valued(evaluation), puts: none, deletesUs: none.atUs };
  }
  return { isRewritten: false, inserts: added, puts: changed, deletesUs: removedUs };
}

/** Several series as rows, ascending by key and instant. */
export function toResultRows(
  parts: readonly { readonly variableKey: number; readonly generation: number; readonly series: Series }[],
): Rows {
  const count = parts.reduce((sum, { series }) => sum + series.atUs.length, 0);
  const rows = {
    count,
    variableKeys: new Float64Array(count),
    instantsUs: new Float64Array(count),
    values: new Float64Array(count),
    admitted: new Float64Array(count),
  };
  let row = 0;
  for (const { variableKey, generation, series } of parts) {
    const end = row + series.atUs.length;
    rows.variableKeys.fill(variableKey, row, end);
    rows.admitted.fill(generation, row, end);
    rows.instantsUs.set(series.atUs, row);
    rows.values.set(series.values, row);
    row = end;
  }
  return rows;
}
