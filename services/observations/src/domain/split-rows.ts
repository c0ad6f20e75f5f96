import type { Rows } from './arrange-rows.js';

/** Numbers of rows, each in ascending order. */
export interface SplitRows {
  /** Newer than all that is known of their series. */
  readonly fresh: readonly number[];
  readonly late: readonly number[];
}

/** Splits rows by whether they are newer than the last instant that is known of their series. */
export function splitRows(rows: Rows, lastInstantUs: (variableKey: number) => number): SplitRows {
  const fresh: number[] = [];
  const late: number[] = [];
  let variableKey = Number.NaN;
  let lastUs = 0;
  for (let row = 0; row < rows.count; row++) {
    const key = rows.variableKeys[row] as number;
    if (key !== variableKey) {
      variableKey = key;
      lastUs = lastInstantUs(key);
    }
    ((rows.instantsUs[row] as number) > lastUs ? fresh : late).push(row);
  }
  return { fresh, late };
}

/** Some of the rows, in their order. */
export function selectRows(rows: Rows, numbers: readonly number[]): Rows {
  if (numbers.length === rows.count) return rows;
  const select = (column: Float64Array): Float64Array =>
    Float64Array.from({ length: numbers.length }, (_, i) => column[numbers[i] as number] as number);
  return {
    count: numbers.length,
    variableKeys: select(rows.variableKeys),
    instantsUs: select(rows.instantsUs),
    values: select(rows.values),
    admitted: select(rows.admitted),
  };
}

/** The last row of each series, by its number. */
export function lastRows({ count, variableKeys }: Rows): number[] {
  const numbers: number[] = [];
  for (let row = 0; row < count; row++) {
    if (row + 1 === count || variableKeys[row + 1] !== variableKeys[row]) numbers.push(row);
  }
  return numbers;
}
