import { type Frame, missing, reasonCode, settled } from './frame.js';
import type { ChainOperator, CompareOperator } from './syntax.js';

const { NaN: none } = Number;

/** Functions of one number; NaN where they are not defined. */
export const unaryFunctions: ReadonlyMap<string, (x: number) => number> = new Map([
  ['abs', Math.abs],
  ['sqrt', Math.sqrt],
  ['cbrt', Math.cbrt],
  ['exp', Math.exp],
  ['ln', (x) => (x > 0 ? Math.log(x) : none)],
  ['log10', (x) => (x > 0 ? Math.log10(x) : none)],
  ['log2', (x) => (x > 0 ? Math.log2(x) : none)],
  // halves go away from zero, on both sides of it
  ['round', (x) => (x < 0 ? -Math.round(-x) : Math.round(x))],
  ['floor', Math.floor],
  ['ceil', Math.ceil],
  ['trunc', Math.trunc],
  ['sign', Math.sign],
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['tan', Math.tan],
  ['asin', Math.asin],
  ['acos', Math.acos],
  ['atan', Math.atan],
  ['sinh', Math.sinh],
  ['cosh', Math.cosh],
  ['tanh', Math.tanh],
]);

/** Functions of two numbers. */
export const binaryFunctions: ReadonlyMap<string, (frame: Frame, x: number, y: number) => number> = new Map([
  ['pow', powerOf],
  // there is one zero only
  ['atan2', (_: Frame, y: number, x: number) => Math.atan2(y + 0, x + 0)],
  ['hypot', (frame: Frame, x: number, y: number) => settled(frame, Math.hypot(x, y))],
]);

/** `base` to the power of `exponent`. */
export function powerOf(frame: Frame, base: number, exponent: number): number {
  if (base === 0 && exponent < 0) return missing(frame, reasonCode.division_by_zero);
  return settled(frame, base ** exponent);
}

/** What an operator makes of two numbers; a remainder has the sign of the dividend. */
export function combine(frame: Frame, operator: ChainOperator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return settled(frame, left + right);
    case '-':
      return settled(frame, left - right);
    case '*':
      return settled(frame, left * right);
    case '/':
      return right === 0 ? missing(frame, reasonCode.division_by_zero) : settled(frame, left / right);
    case '%':
      return right === 0 ? missing(frame, reasonCode.division_by_zero) : left % right;
  }
}

/** 1 where the comparison holds, else 0. */
export function compare(operator: CompareOperator, left: number, right: number): number {
  switch (operator) {
    case '<':
      return left < right ? 1 : 0;
    case '<=':
      return left <= right ? 1 : 0;
    case '>':
      return left > right ? 1 : 0;
    case '>=':
      return left >= right ? 1 : 0;
    case '==':
      return left === right ? 1 : 0;
    case '!=':
      return left !== right ? 1 : 0;
  }
}
