/** Observations to store: one a variable and instant, in ascending order of both. */
export interface Rows {
  readonly count: number;
  readonly variableKeys: Float64Array;
  readonly instantsUs: Float64Array;
  readonly values: Float64Array;
  /** The stamps that order admissions. */
  readonly admitted: Float64Array;
}

/** Values to arrange, each of the series `variableKeys[slots[i]]`. */
export interface Admitted {
  readonly count: number;
  readonly variableKeys: readonly number[];
  readonly slots: Uint32Array;
  readonly instantsUs: Float64Array;
  readonly values: Float64Array;
  readonly admitted: Float64Array;
}

/** Rows, and where they come from. */
export interface Arrangement {
  readonly rows: Rows;
  /** By row, which of the admitted values it is. */
  readonly origins: Uint32Array;
  /** The values that another one of the same variable and instant was admitted after. */
  readonly superseded: readonly number[];
}

/** Numbers of values by series in ascending order of key, and where each series ends. */
function groupBySeries(input: Admitted): { readonly order: Uint32Array; readonly ends: Uint32Array } {
  const slotOrder = input.variableKeys
    .map((variableKey, slot) => ({ variableKey, slot }))
    .sort((a, b) => a.variableKey - b.variableKey);
  const counts = new Uint32Array(slotOrder.length);
  for (let i = 0; i < input.count; i++) (counts[input.slots[i] as number] as number)++;
  const next = new Uint32Array(slotOrder.length);
  const ends = new Uint32Array(slotOrder.length);
  let start = 0;
  slotOrder.forEach(({ slot }, rank) => {
    next[slot] = start;
    start += counts[slot] as number;
    ends[rank] = start;
  });
  const order = new Uint32Array(input.count);
  for (let i = 0; i < input.count; i++) order[(next[input.slots[i] as number] as number)++] = i;
  return { order, ends };
}

function isAscending(order: Uint32Array, start: number, end: number, instantsUs: Float64Array): boolean {
  for (let i = start + 1; i < end; i++) {
    if ((instantsUs[order[i] as number] as number) <= (instantsUs[order[i - 1] as number] as number)) return false;
  }
  return true;
}

/**
 * Sorts admitted values by variable and instant and keeps, of several for the same, the one
 * admitted last. Values that come in ascending time, as loggers send them, are not compared twice.
 */
export function arrangeRows(input: Admitted): Arrangement {
  const { order, ends } = groupBySeries(input);
  const instant = (i: number): number => input.instantsUs[i] as number;
  const stamp = (i: number): number => input.admitted[i] as number;
  const superseded: number[] = [];
  const origins = new Uint32Array(input.count);
  let count = 0;
  let start = 0;
  for (const end of ends) {
    if (!isAscending(order, start, end, input.instantsUs)) {
      order.subarray(start, end).sort((a, b) => instant(a) - instant(b) || stamp(a) - stamp(b));
    }
    const first = count;
    for (let i = start; i < end; i++) {
      const origin = order[i] as number;
      const before = origins[count - 1] as number;
      if (count > first && instant(before) === instant(origin)) {
        // one point that came twice does not supersede itself
        if (stamp(before) !== stamp(origin)) superseded.push(before);
        count--;
      }
      origins[count++] = origin;
    }
    start = end;
  }
  const rows = {
    count,
    variableKeys: new Float64Array(count),
    instantsUs: new Float64Array(count),
    values: new Float64Array(count),
    admitted: new Float64Array(count),
  };
  for (let row = 0; row < count; row++) {
    const origin = origins[row] as number;
    rows.variableKeys[row] = input.variableKeys[input.slots[origin] as number] as number;
    rows.instantsUs[row] = instant(origin);
    rows.values[row] = input.values[origin] as number;
    rows.admitted[row] = stamp(origin);
  }
  return { rows, origins: origins.subarray(0, count), superseded };
}
