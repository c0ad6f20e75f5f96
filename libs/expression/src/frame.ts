/** Why there is no value. */
export const missingReasons = [
  'missing_input',
  'division_by_zero',
  'domain_error',
  'overflow',
  'window_too_large',
  'invalid_expression',
] as const;
export type MissingReason = (typeof missingReasons)[number];

/** Reasons as columns have them: 0 for a value, else one more than the place in `missingReasons`. */
export const reasonCode = {
  missing_input: 1,
  division_by_zero: 2,
  domain_error: 3,
  overflow: 4,
  window_too_large: 5,
  invalid_expression: 6,
} as const satisfies Record<MissingReason, number>;

/** Observations of one variable, in ascending time, each instant once, none of them NaN. */
export interface Series {
  readonly atUs: Float64Array;
  readonly values: Float64Array;
}

/** A window of each instant: the observations from `starts[row]` to before `ends[row]`. */
export interface Windows extends Series {
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * What an expression reads of one input at each instant of an evaluation, as far as it needs it. NaN
 * means that there is nothing.
 */
export interface InputColumns {
  /** the value at the instant */
  readonly values?: Float64Array;
  /** the value before the instant */
  readonly previous?: Float64Array;
  readonly windows?: Windows;
}

/** What the parts of one evaluation share. */
export interface Frame {
  row: number;
  /** why the last part that had no value had none */
  reason: number;
  readonly instantsUs: Float64Array;
  readonly inputs: readonly InputColumns[];
  /** values of windows that the expression names more than once, and the row that they are of */
  readonly windowRows: Int32Array;
  readonly windowValues: Float64Array;
  readonly windowReasons: Uint8Array;
}

/** A part of an expression: its value in the frame's row, or NaN with the frame's reason. */
export type Part = (frame: Frame) => number;

/** Says why there is no value. */
export function missing(frame: Frame, reason: number): number {
  frame.reason = reason;
  return Number.NaN;
}

/** The result of an operation on finite numbers: NaN came of a domain error, infinity of an overflow. */
export function settled(frame: Frame, value: number): number {
  if (Number.isFinite(value)) return value;
  return missing(frame, value !== value ? reasonCode.domain_error : reasonCode.overflow);
}
