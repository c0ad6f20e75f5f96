import type { MissingReason } from '../src/frame.js';
import { windowRowsMax } from '../src/limits.js';
import type { ExpressionInput } from '../src/references.js';
import type { Syntax } from '../src/syntax.js';

/** An observation, or a step of a constant: since when, and what. */
export type Entry = readonly [atUs: number, value: number];

/** An input with all that is known of it, in any order. */
export interface ReferenceInput extends ExpressionInput {
  readonly bufferUs: number | undefined;
  readonly entries: readonly Entry[];
}

export type Outcome = number | MissingReason;

/**
 * The plainest reading of what an expression means at one instant: it looks through all entries for
 * everything, and knows no columns. What the evaluator gives must be the same, bit for bit.
 */
export function evaluatePlainly(syntax: Syntax, inputs: readonly ReferenceInput[], atUs: number): Outcome {
  const of = (part: Syntax): Outcome => evaluatePlainly(part, inputs, atUs);
  switch (syntax.kind) {
    case 'number':
      return syntax.value;
    case 'name':
      if (syntax.name === 'pi') return Math.PI;
      if (syntax.name === 'e') return Math.E;
      return valueOf(inputOf(syntax, inputs), atUs);
    case 'id':
      return valueOf(inputOf(syntax, inputs), atUs);
    case 'negate':
      return withAll([of(syntax.operand)], (x) => -x);
    case 'not':
      return withAll([of(syntax.operand)], (x) => Number(x === 0));
    case 'power':
      return withAll([of(syntax.base), of(syntax.exponent)], power);
    case 'compare':
      return withAll([of(syntax.left), of(syntax.right)], (x, y) =>
        Number({ '<': x < y, '<=': x <= y, '>': x > y, '>=': x >= y, '==': x === y, '!=': x !== y }[syntax.operator]),
      );
    case 'logical': {
      for (const operand of syntax.operands) {
        const value = of(operand);
        if (typeof value === 'string') return value;
        if ((value !== 0) === (syntax.operator === 'or')) return Number(syntax.operator === 'or');
      }
      return Number(syntax.operator === 'and');
    }
    case 'chain':
      return syntax.rest.reduce<Outcome>((left, operand, at) => {
        if (typeof left === 'string') return left;
        return withAll([left, of(operand)], (x, y) => {
          switch (syntax.operators[at]) {
            case '+':
              return x + y;
            case '-':
              return x - y;
            case '*':
              return x * y;
            case '/':
              return y === 0 ? 'division_by_zero' : x / y;
            default:
              return y === 0 ? 'division_by_zero' : x % y;
          }
        });
      }, of(syntax.first));
    case 'call':
      return call(syntax.name, syntax.operands, inputs, atUs);
  }
}

function call(name: string, operands: readonly Syntax[], inputs: readonly ReferenceInput[], atUs: number): Outcome {
  const of = (at: number): Outcome => evaluatePlainly(operands[at] as Syntax, inputs, atUs);
  if (operands.length === 1 && name in windowFunctions) {
    const window = windowOf(inputOf(operands[0] as Syntax, inputs), atUs);
    if (window.length > windowRowsMax) return 'window_too_large';
    return settle(windowFunctions[name as keyof typeof windowFunctions](window), 'overflow');
  }
  if (name === 'previous') {
    const input = inputOf(operands[0] as Syntax, inputs);
    const before = ascending(input).filter(([at]) => at < atUs && at > atUs - (input.bufferUs ?? Number.MAX_VALUE));
    return before.at(-1)?.[1] ?? 'missing_input';
  }
  if (name === 'if') return withAll([of(0)], (condition) => of(condition === 0 ? 2 : 1));
  if (name === 'isnull') return Number(typeof of(0) === 'string');
  if (name === 'coalesce') {
    const all = operands.map((_, at) => of(at));
    return all.find((value) => typeof value === 'number') ?? (all.at(-1) as Outcome);
  }
  if (name === 'timestamp') return atUs / 1e6;
  return withAll(
    operands.map((_, at) => of(at)),
    (...values) => {
      if (name === 'min' || name === 'max') return Math[name](...values);
      if (name === 'pow') return power(values[0] as number, values[1] as number);
      if (name === 'clamp') {
        const [x, low, high] = values as [number, number, number];
        return low > high ? 'domain_error' : x < low ? low : x > high ? high : x;
      }
      if (name === 'interpolate') return interpolate(values);
      if (name === 'ln') return (values[0] as number) > 0 ? Math.log(values[0] as number) : 'domain_error';
      if (name === 'round') return Math.sign(values[0] as number) * Math.round(Math.abs(values[0] as number));
      const [x, y] = values as [number, number];
      if (name === 'atan2') return Math.atan2(x === 0 ? 0 : x, y === 0 ? 0 : y);
      return (Math as unknown as Record<string, (...all: number[]) => number>)[name]?.(...values) ?? Number.NaN;
    },
  );
}

function interpolate([x, ...points]: readonly number[]): Outcome {
  const xs = points.filter((_, at) => at % 2 === 0);
  const ys = points.filter((_, at) => at % 2 === 1);
  if (xs.some((value, at) => at > 0 && value <= (xs[at - 1] as number))) return 'domain_error';
  const found = xs.findLastIndex((value) => value <= (x as number));
  if (x === xs.at(-1)) return ys.at(-1) as number;
  if (found === -1 || found === xs.length - 1) return 'domain_error';
  const [x0, x1, y0, y1] = [xs[found], xs[found + 1], ys[found], ys[found + 1]] as [number, number, number, number];
  if (x === x0) return y0;
  if (!Number.isFinite(x1 - x0)) return 'overflow';
  return settle(y0 + (y1 - y0) * (((x as number) - x0) / (x1 - x0)), 'overflow');
}

function power(base: number, exponent: number): Outcome {
  return base === 0 && exponent < 0 ? 'division_by_zero' : base ** exponent;
}

/** The first operand that is missing, else what `of` makes of them. */
function withAll(values: readonly Outcome[], of: (...values: number[]) => Outcome): Outcome {
  const absent = values.find((value) => typeof value === 'string');
  return absent ?? settle(of(...(values as number[])), 'domain_error');
}

function settle(value: Outcome, undefinedReason: MissingReason): Outcome {
  if (typeof value === 'string' || Number.isFinite(value)) return value;
  return Number.isNaN(value) ? undefinedReason : 'overflow';
}

function inputOf(syntax: Syntax, inputs: readonly ReferenceInput[]): ReferenceInput {
  const found = inputs.find(
    ({ id, alias }) => (syntax.kind === 'id' && syntax.id === id) || (syntax.kind === 'name' && syntax.name === alias),
  );
  if (found === undefined) throw new Error('no such input');
  return found;
}

function ascending({ entries }: ReferenceInput): Entry[] {
  return entries.toSorted(([a], [b]) => a - b);
}

function windowOf(input: ReferenceInput, atUs: number): Entry[] {
  return ascending(input).filter(([at]) => at <= atUs && at > atUs - (input.bufferUs as number));
}

function valueOf(input: ReferenceInput, atUs: number): Outcome {
  const past = ascending(input).filter(([at]) => at <= atUs);
  const isExact = input.kind !== 'constant' && input.bufferUs === undefined;
  const found = isExact
    ? past.filter(([at]) => at === atUs)
    : past.filter(([at]) => input.bufferUs === undefined || at > atUs - input.bufferUs);
  return found.at(-1)?.[1] ?? 'missing_input';
}

/** Neumaier's sum. */
function sum(values: readonly number[]): number {
  let total = 0;
  let lost = 0;
  for (const value of values) {
    const next = total + value;
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total;
    total = next;
  }
  return total + lost;
}

const orMissing =
  (least: number, of: (values: number[], window: Entry[]) => number) =>
  (window: Entry[]): Outcome =>
    window.length < least
      ? 'missing_input'
      : of(
          window.map(([, value]) => value),
          window,
        );

const change = (values: number[]): number => (values.at(-1) as number) - (values[0] as number);

const windowFunctions = {
  count: orMissing(0, (values) => values.length),
  sum: orMissing(1, sum),
  mean: orMissing(1, (values) => sum(values) / values.length),
  stddev: orMissing(2, (values) => {
    const mean = sum(values) / values.length;
    return Math.sqrt(sum(values.map((value) => (value - mean) * (value - mean))) / (values.length - 1));
  }),
  median: orMissing(1, (values) => {
    const sorted = values.toSorted((a, b) => a - b);
    const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]] as [number, number];
    return sorted.length % 2 === 1 ? low : (low + high) / 2;
  }),
  min: orMissing(1, (values) => Math.min(...values)),
  max: orMissing(1, (values) => Math.max(...values)),
  first: orMissing(1, (values) => values[0] as number),
  last: orMissing(1, (values) => values.at(-1) as number),
  delta: orMissing(2, change),
  rate: orMissing(2, (values, window) => change(values) / (((window.at(-1)?.[0] ?? 0) - (window[0]?.[0] ?? 0)) / 1e6)),
};
