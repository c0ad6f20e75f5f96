import { combine, compare, powerOf } from './arithmetic.js';
import type { CheckedExpression } from './check.js';
import { Compilation, type InputNeeds, type WindowRead } from './compilation.js';
import { compileCall } from './compile-call.js';
import { type Frame, missing, type Part, reasonCode } from './frame.js';
import { operandsOf, type Reference, type Syntax } from './syntax.js';
import { constants } from './words.js';

/** An expression that can be evaluated any number of times. */
export interface CompiledExpression {
  /** at most how many parts are evaluated at an instant */
  readonly parts: number;
  /** in the order of the inputs */
  readonly needs: readonly InputNeeds[];
  readonly windowReads: readonly WindowRead[];
  readonly evaluateRow: Part;
}

function compileReference(reference: Reference, compilation: Compilation): Part {
  const constant = reference.kind === 'name' ? constants.get(reference.name) : undefined;
  if (constant !== undefined) return () => constant;
  const input = compilation.need(reference, 'value');
  return (frame) => {
    const value = frame.inputs[input]?.values?.[frame.row] ?? Number.NaN;
    return value === value ? value : missing(frame, reasonCode.missing_input);
  };
}

function compileChain({ first, operators, rest }: Extract<Syntax, { kind: 'chain' }>, compilation: Compilation): Part {
  const begin = compilePart(first, compilation);
  const parts = rest.map((operand) => compilePart(operand, compilation));
  return (frame) => {
    let value = begin(frame);
    for (let at = 0; at < parts.length && value === value; at++) {
      const right = (parts[at] as Part)(frame);
      value = right === right ? combine(frame, operators[at] as (typeof operators)[number], value, right) : right;
    }
    return value;
  };
}

function compileLogical({ operator, operands }: Extract<Syntax, { kind: 'logical' }>, compilation: Compilation): Part {
  const parts = operands.map((operand) => compilePart(operand, compilation));
  const decides = operator === 'or';
  return (frame) => {
    for (const part of parts) {
      const value = part(frame);
      if (value !== value) return value;
      if ((value !== 0) === decides) return decides ? 1 : 0;
    }
    return decides ? 0 : 1;
  };
}

/** Makes a closure of a part of an expression: it evaluates its operands from left to right, and stops at the first that is missing. */
function compilePart(syntax: Syntax, compilation: Compilation): Part {
  compilation.parts++;
  switch (syntax.kind) {
    case 'number': {
      const { value } = syntax;
      return () => value;
    }
    case 'name':
    case 'id':
      return compileReference(syntax, compilation);
    case 'chain':
      return compileChain(syntax, compilation);
    case 'logical':
      return compileLogical(syntax, compilation);
    case 'call':
      return compileCall(syntax, compilation, compilePart);
    default:
      return compileFixed(syntax, compilation);
  }
}

function compileFixed(
  syntax: Extract<Syntax, { kind: 'negate' | 'not' | 'power' | 'compare' }>,
  compilation: Compilation,
): Part {
  const [left, right] = operandsOf(syntax).map((operand) => compilePart(operand, compilation)) as [Part, Part];
  const withBoth =
    (of: (frame: Frame, x: number, y: number) => number): Part =>
    (frame) => {
      const x = left(frame);
      if (x !== x) return x;
      const y = right(frame);
      return y === y ? of(frame, x, y) : y;
    };
  switch (syntax.kind) {
    case 'negate':
      return (frame) => -left(frame);
    case 'not':
      return (frame) => {
        const value = left(frame);
        return value === value ? (value === 0 ? 1 : 0) : value;
      };
    case 'power':
      return withBoth(powerOf);
    case 'compare': {
      const { operator } = syntax;
      return withBoth((_, x, y) => compare(operator, x, y));
    }
  }
}

/** Makes an expression ready to be evaluated: closures, no generated code. */
export function compile({ syntax, inputs }: CheckedExpression): CompiledExpression {
  const compilation = new Compilation(inputs);
  const evaluateRow = compilePart(syntax, compilation);
  const { parts, needs, windowReads } = compilation;
  return { parts, needs, windowReads, evaluateRow };
}

/** What stands for an expression that cannot be evaluated: it reads nothing of its inputs, and has no value anywhere. */
export function compileInvalid(inputs: number): CompiledExpression {
  const needs = Array.from({ length: inputs }, () => ({ value: false, previous: false, windows: false }));
  return { parts: 1, needs, windowReads: [], evaluateRow: (frame) => missing(frame, reasonCode.invalid_expression) };
}
