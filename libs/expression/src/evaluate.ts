import type { CompiledExpression } from './compile.js';
import { type InputColumns, type MissingReason, missingReasons } from './frame.js';

/** What an expression gives at each instant. */
export interface Results {
  /** NaN where there is no value */
  readonly values: Float64Array;
  /** 0 for a value, else why there is none: one more than the place in `missingReasons` */
  readonly reasons: Uint8Array;
  /** How many instants have no value, by reason. */
  readonly missing: Readonly<Record<MissingReason, number>>;
}

/** A column that is left out would read as missing observations. */
function requireColumns({ needs }: CompiledExpression, rows: number, inputs: readonly InputColumns[]): void {
  for (const [at, { value, previous, windows }] of needs.entries()) {
    const given = inputs[at];
    const isWhole =
      (!value || given?.values?.length === rows) &&
      (!previous || given?.previous?.length === rows) &&
      (!windows || (given?.windows?.starts.length === rows && given.windows.ends.length === rows));
    if (!isWhole) throw new Error(`input ${at} lacks a column that the expression needs, or has one of another length`);
  }
}

/**
 * Evaluates an expression at instants. Each result depends on the columns of its own row alone, so that
 * the same instant has the same value, bit for bit, whatever it is evaluated with.
 *
 * @param instantsUs - in any order
 * @param inputs - in the order of the compiled inputs, each with the columns that it `needs`
 */
export function evaluate(
  expression: CompiledExpression,
  instantsUs: Float64Array,
  inputs: readonly InputColumns[],
): Results {
  const { windowReads, evaluateRow } = expression;
  requireColumns(expression, instantsUs.length, inputs);
  const values = new Float64Array(instantsUs.length);
  const reasons = new Uint8Array(instantsUs.length);
  const counts = [0, ...missingReasons.map(() => 0)];
  const frame = {
    row: 0,
    reason: 0,
    instantsUs,
    inputs,
    windowRows: new Int32Array(windowReads.length).fill(-1),
    windowValues: new Float64Array(windowReads.length),
    windowReasons: new Uint8Array(windowReads.length),
  };
  for (let row = 0; row < instantsUs.length; row++) {
    frame.row = row;
    const value = evaluateRow(frame);
    // -0 becomes 0
    values[row] = value + 0;
    if (value === value) continue;
    reasons[row] = frame.reason;
    counts[frame.reason] = (counts[frame.reason] as number) + 1;
  }
  const missing = missingReasons.map((reason, i) => [reason, counts[i + 1] ?? 0] as const);
  return { values, reasons, missing: Object.fromEntries(missing) as Record<MissingReason, number> };
}
