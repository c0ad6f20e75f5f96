import { binaryFunctions, unaryFunctions } from './arithmetic.js';
import type { Compilation } from './compilation.js';
import { type Frame, missing, type Part, reasonCode, settled } from './frame.js';
import { interpolate, isAscending, literalOf, type Table } from './interpolation.js';
import { isReference, readsWindow } from './references.js';
import type { Syntax } from './syntax.js';
import { windowFunctionOf, windowValue } from './window-values.js';

type Call = Extract<Syntax, { kind: 'call' }>;
type CompilePart = (syntax: Syntax, compilation: Compilation) => Part;

function compileWindow({ name, operands: [argument] }: Call, compilation: Compilation): Part {
  if (!isReference(argument)) throw new Error('the expression is not checked');
  const input = compilation.need(argument, 'windows');
  const of = windowFunctionOf(name);
  const slot = compilation.windowSlot(name, input);
  return (frame) => {
    if (frame.windowRows[slot] !== frame.row) {
      const value = windowValue(frame, of, input);
      frame.windowRows[slot] = frame.row;
      frame.windowValues[slot] = value;
      frame.windowReasons[slot] = value === value ? 0 : frame.reason;
    }
    const value = frame.windowValues[slot] as number;
    if (value !== value) frame.reason = frame.windowReasons[slot] as number;
    return value;
  };
}

function compilePrevious({ operands: [argument] }: Call, compilation: Compilation): Part {
  if (!isReference(argument)) throw new Error('the expression is not checked');
  const input = compilation.need(argument, 'previous');
  return (frame) => {
    const value = frame.inputs[input]?.previous?.[frame.row] ?? Number.NaN;
    return value === value ? value : missing(frame, reasonCode.missing_input);
  };
}

/** Looks `x` up: outside the table there is no value. */
function lookUp(frame: Frame, table: Table, x: number): number {
  const { xs } = table;
  const isInside = x >= (xs[0] as number) && x <= (xs[xs.length - 1] as number);
  if (!isInside) return missing(frame, reasonCode.domain_error);
  const value = interpolate(table, x);
  return Number.isFinite(value) ? value : missing(frame, reasonCode.overflow);
}

function compileInterpolate({ operands }: Call, compilation: Compilation, compilePart: CompilePart): Part {
  const [first, ...points] = operands;
  const of = compilePart(first as Syntax, compilation);
  const parts = points.map((point) => compilePart(point, compilation));
  const literals = points.map(literalOf);
  const table = { xs: new Float64Array(points.length / 2), ys: new Float64Array(points.length / 2) };
  const set = (at: number, value: number): void => {
    (at % 2 === 0 ? table.xs : table.ys)[at >> 1] = value;
  };
  for (const [at, literal] of literals.entries()) if (literal !== undefined) set(at, literal);
  if (!literals.includes(undefined)) {
    return (frame) => {
      const x = of(frame);
      return x === x ? lookUp(frame, table, x) : x;
    };
  }
  return (frame) => {
    const x = of(frame);
    if (x !== x) return x;
    for (const [at, part] of parts.entries()) {
      const value = part(frame);
      if (value !== value) return value;
      set(at, value);
    }
    return isAscending(table.xs) ? lookUp(frame, table, x) : missing(frame, reasonCode.domain_error);
  };
}

/** `least` or `greatest` of all arguments. */
function compileExtreme(name: string, parts: readonly Part[]): Part {
  const choose = name === 'min' ? Math.min : Math.max;
  return (frame) => {
    let chosen = name === 'min' ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
    for (const part of parts) {
      const value = part(frame);
      if (value !== value) return value;
      chosen = choose(chosen, value);
    }
    return chosen;
  };
}

function compileCoalesce(parts: readonly Part[]): Part {
  return (frame) => {
    let value = Number.NaN;
    for (let at = 0; at < parts.length && value !== value; at++) value = (parts[at] as Part)(frame);
    return value;
  };
}

function compileClamp([of, low, high]: readonly [Part, Part, Part]): Part {
  return (frame) => {
    const x = of(frame);
    if (x !== x) return x;
    const least = low(frame);
    if (least !== least) return least;
    const greatest = high(frame);
    if (greatest !== greatest) return greatest;
    return least <= greatest ? Math.min(Math.max(x, least), greatest) : missing(frame, reasonCode.domain_error);
  };
}

/** Makes a closure of a call; only what its value depends on is evaluated. */
export function compileCall(call: Call, compilation: Compilation, compilePart: CompilePart): Part {
  const { name, operands } = call;
  if (readsWindow(name, operands.length)) return compileWindow(call, compilation);
  if (name === 'previous') return compilePrevious(call, compilation);
  if (name === 'interpolate') return compileInterpolate(call, compilation, compilePart);
  const parts = operands.map((operand) => compilePart(operand, compilation));
  const [a, b, c] = parts as [Part, Part, Part];
  const unary = unaryFunctions.get(name);
  if (unary !== undefined) {
    return (frame) => {
      const x = a(frame);
      return x === x ? settled(frame, unary(x)) : x;
    };
  }
  const binary = binaryFunctions.get(name);
  if (binary !== undefined) {
    return (frame) => {
      const x = a(frame);
      if (x !== x) return x;
      const y = b(frame);
      return y === y ? binary(frame, x, y) : y;
    };
  }
  switch (name) {
    case 'min':
    case 'max':
      return compileExtreme(name, parts);
    case 'coalesce':
      return compileCoalesce(parts);
    case 'clamp':
      return compileClamp([a, b, c]);
    case 'if':
      return (frame) => {
        const condition = a(frame);
        return condition === condition ? (condition === 0 ? c : b)(frame) : condition;
      };
    case 'isnull':
      return (frame) => {
        const value = a(frame);
        return value === value ? 0 : 1;
      };
    case 'timestamp':
      return (frame) => (frame.instantsUs[frame.row] as number) / 1e6;
    default:
      throw new Error('the expression is not checked');
  }
}
