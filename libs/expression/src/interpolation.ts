import { type ExpressionFault, faultAt } from './fault.js';
import type { Syntax } from './syntax.js';

/** The number that a literal says, with its sign; undefined for anything else. */
export function literalOf(syntax: Syntax): number | undefined {
  if (syntax.kind === 'number') return syntax.value;
  return syntax.kind === 'negate' && syntax.operand.kind === 'number' ? -syntax.operand.value : undefined;
}

/** The faults that the table of a call of `interpolate` shows without being evaluated. */
export function checkTable({ operands, offset }: Extract<Syntax, { kind: 'call' }>): ExpressionFault[] {
  if (operands.length % 2 === 0) {
    const message = `interpolate takes a value and pairs: the last x of ${operands.length} arguments has no y.`;
    return [faultAt(offset, 'wrong_arity', message)];
  }
  const faults: ExpressionFault[] = [];
  let greatest = Number.NEGATIVE_INFINITY;
  for (const [at, operand] of operands.entries()) {
    const x = at % 2 === 1 ? literalOf(operand) : undefined;
    if (x === undefined) continue;
    if (x <= greatest) {
      faults.push(faultAt(operand.offset, 'table_not_ascending', `Give each x of the table above the one before it.`));
    } else greatest = x;
  }
  return faults;
}

/** A table that `interpolate` looks up: ascending `xs`, and as many `ys`. */
export interface Table {
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

/** Whether each x is above the one before it. */
export function isAscending(xs: Float64Array): boolean {
  for (let at = 1; at < xs.length; at++) if (!((xs[at - 1] as number) < (xs[at] as number))) return false;
  return true;
}

/**
 * The value of a piecewise linear function at `x`: `y0 + (y1 - y0) * ((x - x0) / (x1 - x0))`, exactly the
 * table's at its points. NaN outside the table: a rating curve says nothing there, and who knows
 * better clamps `x`; and where a difference overflows, on either axis.
 */
export function interpolate({ xs, ys }: Table, x: number): number {
  const last = xs.length - 1;
  if (!(x >= (xs[0] as number) && x <= (xs[last] as number))) return Number.NaN;
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((xs[middle] as number) <= x) low = middle;
    else high = middle;
  }
  const [x0, x1, y0, y1] = [xs[low], xs[high], ys[low], ys[high]] as [number, number, number, number];
  if (x === x0) return y0;
  if (x === x1) return y1;
  // what is divided by infinity is 0, which would look like a value
  if (x1 - x0 === Number.POSITIVE_INFINITY) return Number.NaN;
  return y0 + (y1 - y0) * ((x - x0) / (x1 - x0));
}
