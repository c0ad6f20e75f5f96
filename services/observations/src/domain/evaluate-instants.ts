import { columnsOf, evaluate, type InputColumns, type Series, stepColumn, stepsOf } from '@weir/expression';
import type { Calculation, ReadyPiece } from './calculation.js';
import type { DrivingInstants } from './driving-instants.js';
import { toValueType } from './to-value-type.js';

/** What a calculation gives at instants. */
export interface Evaluation {
  /** ascending */
  readonly instantsUs: Float64Array;
  /** of its value type; NaN where there is no value */
  readonly values: Float64Array;
  /** 0 for a value, else why there is none, as the language of expressions numbers it */
  readonly reasons: Uint8Array;
  /** All before this instant is evaluated; infinite for all. */
  readonly untilUs: number;
}

/** How much may be done. */
export interface EvaluationBudget {
  /** steps of an evaluation (`stepsOf`), but for the first instant */
  readonly stepsMax: number;
  /** and at a stretch */
  readonly stretchStepsMax: number;
}

type Columns = readonly InputColumns[];

/** What the expression of a piece reads at instants. */
function columnsOfPiece(piece: ReadyPiece, instantsUs: Float64Array, series: ReadonlyMap<number, Series>): Columns {
  const columns: InputColumns[] = piece.expression.needs.map(() => ({}));
  for (const { place, variableKey, kind, bufferUs, needs } of piece.series) {
    const known = series.get(variableKey);
    if (known === undefined) throw new Error(`series ${variableKey} was not read`);
    columns[place] = columnsOf(needs, { kind, bufferUs }, instantsUs, known);
  }
  for (const { place, steps } of piece.constants) columns[place] = stepColumn(instantsUs, steps);
  return columns;
}

function rowsOf({ values, previous, windows }: InputColumns, from: number, until: number): InputColumns {
  return {
    ...(values && { values: values.subarray(from, until) }),
    ...(previous && { previous: previous.subarray(from, until) }),
    ...(windows && {
      windows: { ...windows, starts: windows.starts.subarray(from, until), ends: windows.ends.subarray(from, until) },
    }),
  };
}

/** The steps of evaluating one instant. */
function stepsAt({ cost }: ReadyPiece, columns: Columns, row: number): number {
  const windowRows = columns.map(({ windows }) =>
    windows === undefined ? 0 : (windows.ends[row] as number) - (windows.starts[row] as number),
  );
  return stepsOf(cost, { instants: 1, windowRows, windowRowsMax: windowRows });
}

/** How many instants from `from` on are evaluated within so many steps: at least one. */
function rowsWithin(piece: ReadyPiece, columns: Columns, from: number, until: number, stepsMax: number) {
  if (columns.every(({ windows }) => windows === undefined)) {
    const count = Math.min(until - from, Math.max(1, Math.floor(stepsMax / piece.cost.perInstant)));
    return { until: from + count, steps: count * piece.cost.perInstant };
  }
  let steps = stepsAt(piece, columns, from);
  let row = from + 1;
  for (; row < until; row++) {
    const more = stepsAt(piece, columns, row);
    if (steps + more > stepsMax) break;
    steps += more;
  }
  return { until: row, steps };
}

/**
 * Evaluates a calculation at its instants, one stretch between two yields, until all is done or so much that the budget is spent.
 *
 * @param series - what `driverReads` and `inputReads` asked for, as far as the instants go
 */
export function* evaluateInstants(
  calculation: Calculation,
  driving: DrivingInstants,
  series: ReadonlyMap<number, Series>,
  { stepsMax, stretchStepsMax }: EvaluationBudget,
): Generator<void, Evaluation> {
  const instantsUs = new Float64Array(driving.count);
  const values = new Float64Array(driving.count);
  const reasons = new Uint8Array(driving.count);
  let count = 0;
  let stepsDone = 0;
  for (const { piece: number, instantsUs: ofPiece } of driving.pieces) {
    const piece = calculation.pieces[number] as ReadyPiece;
    const columns = columnsOfPiece(piece, ofPiece, series);
    for (let from = 0; from < ofPiece.length; ) {
      const budget = Math.min(stretchStepsMax, stepsMax - stepsDone);
      if (budget <= 0) {
        const done = { instantsUs: instantsUs.subarray(0, count), values: values.subarray(0, count) };
        return { ...done, reasons: reasons.subarray(0, count), untilUs: ofPiece[from] as number };
      }
      const stretch = rowsWithin(piece, columns, from, ofPiece.length, budget);
      const rows = ofPiece.subarray(from, stretch.until);
      const results = evaluate(
        piece.expression,
        rows,
        columns.map((column) => rowsOf(column, from, stretch.until)),
      );
      instantsUs.set(rows, count);
      values.set(toValueType(results.values, calculation.valueType), count);
      reasons.set(results.reasons, count);
      count += rows.length;
      stepsDone += stretch.steps;
      from = stretch.until;
      yield;
    }
  }
  return { instantsUs, values, reasons, untilUs: driving.untilUs };
}
