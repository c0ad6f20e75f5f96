import type { Rows } from './arrange-rows.js';
import { lastRows } from './split-rows.js';

/** Ranges of instants, one a variable, both ends included. */
export interface ChangedRanges {
  readonly variableKeys: Float64Array;
  readonly firstUs: Float64Array;
  readonly lastUs: Float64Array;
}

/** The range of each variable that rows lie in. */
export function changedRanges(rows: Rows): ChangedRanges {
  const ends = lastRows(rows);
  const instantAt = (row: number): number => rows.instantsUs[row] as number;
  return {
    variableKeys: Float64Array.from(ends, (end) => rows.variableKeys[end] as number),
    firstUs: Float64Array.from(ends, (_, i) => instantAt(i === 0 ? 0 : (ends[i - 1] as number) + 1)),
    lastUs: Float64Array.from(ends, instantAt),
  };
}
