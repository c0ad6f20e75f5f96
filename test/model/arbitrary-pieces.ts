import type { Syntax } from '@weir/expression';
import type { Choices } from './choices.js';
import type { Piece, PieceInput } from './final-state.js';

/** What a calculation may read. */
export interface Readable {
  readonly key: string;
  readonly alias: string;
  readonly kind: PieceInput['kind'];
}

/** Seconds of buffers: shorter and longer than what lies between observations, some of them no whole number. */
const buffers = [0.5, 60, 61, 90, 300, 301.25, 3600, 86_400];

const call = (name: string, ...operands: Syntax[]): Syntax => ({ kind: 'call', name, operands, offset: 0 });
const number = (value: number): Syntax => ({ kind: 'number', value, offset: 0 });
const chain = (operator: '+' | '-' | '*' | '/' | '%', first: Syntax, second: Syntax): Syntax => ({
  kind: 'chain',
  first,
  operators: [operator],
  rest: [second],
  offset: 0,
});
const compare = (operator: '<' | '>=' | '==', left: Syntax, right: Syntax): Syntax => ({
  kind: 'compare',
  operator,
  left,
  right,
  offset: 0,
});

const windowFunctions = ['mean', 'sum', 'count', 'stddev', 'median', 'first', 'last', 'delta', 'rate', 'min', 'max'];

/** An input in the ways in which one may be read, named by alias where that means it alone. */
function readInput(choices: Choices, { id, kind, bufferS }: PieceInput, alias: string | undefined): Syntax {
  const byName = (): Syntax =>
    alias === undefined || choices.isTrue(30)
      ? { kind: 'id', id, offset: 0 }
      : { kind: 'name', name: alias, offset: 0 };
  const window = (): Syntax => call(choices.oneOf(windowFunctions), byName());
  const previous = (): Syntax => call('previous', byName());
  const ways: (readonly [number, () => Syntax])[] = [];
  if (kind !== 'self_variable' || bufferS === undefined) ways.push([5, byName]);
  if (kind !== 'constant') ways.push([1, previous]);
  if (bufferS !== undefined) ways.push([5, window]);
  const read = choices.weighted(ways)();
  return choices.isTrue(20) ? chain(choices.oneOf(['+', '-'] as const), read, choices.weighted(ways)()) : read;
}

const curve = (x: Syntax): Syntax =>
  call('interpolate', call('clamp', x, number(0), number(10)), ...[0, 0, 1, 0.25, 4, 3.5, 10, 31].map(number));

const combinations: readonly (readonly [number, (choices: Choices, x: Syntax, y: Syntax) => Syntax])[] = [
  [8, (choices, x, y) => chain(choices.oneOf(['+', '-'] as const), x, y)],
  [4, (_, x, y) => chain('*', x, y)],
  [3, (choices, x, y) => chain(choices.oneOf(['/', '%'] as const), x, y)],
  [3, (choices, x, y) => call(choices.oneOf(['min', 'max', 'hypot', 'atan2']), x, y)],
  [4, (_, x, y) => call('coalesce', x, y)],
  [2, (_, x, y) => call('if', call('isnull', x), y, x)],
  [2, (choices, x, y) => call('if', compare(choices.oneOf(['<', '>=', '=='] as const), x, y), x, chain('+', y, x))],
  [1, (choices, x, y) => ({ kind: 'logical', operator: choices.oneOf(['and', 'or']), operands: [x, y], offset: 0 })],
  [1, (_, x, y) => ({ kind: 'power', base: call('clamp', x, number(0), number(9)), exponent: y, offset: 0 })],
  [1, (_, x, y) => chain('+', curve(x), y)],
];

const changes: readonly (readonly [number, (choices: Choices, x: Syntax) => Syntax])[] = [
  [8, (_, x) => x],
  [2, (_, x) => ({ kind: 'negate', operand: x, offset: 0 })],
  [2, (choices, x) => call(choices.oneOf(['abs', 'round', 'floor', 'sign', 'cbrt', 'sin']), x)],
  [1, (choices, x) => call(choices.oneOf(['sqrt', 'ln', 'exp', 'asin']), x)],
  [2, (choices, x) => chain(choices.oneOf(['+', '*', '/'] as const), x, number(choices.between(0, 4) / 2))],
  [1, (_, x) => call('coalesce', x, number(7))],
  [1, (_, x) => chain('%', chain('+', call('timestamp'), x), number(3600))],
  [1, (_, x) => chain('*', x, { kind: 'name', name: 'pi', offset: 0 })],
  [1, (_, x) => curve(x)],
];

function expressionOf(choices: Choices, inputs: readonly PieceInput[], readable: readonly Readable[]): Syntax {
  const aliasOf = new Map(readable.map(({ key, alias }) => [key, alias]));
  const aliases = inputs.map(({ of }) => aliasOf.get(of));
  const parts = inputs.map((input, at) => {
    const isAmbiguous = aliases.indexOf(aliases[at]) !== aliases.lastIndexOf(aliases[at]);
    const read = readInput(choices, input, isAmbiguous ? undefined : aliases[at]);
    return choices.weighted(changes)(choices, read);
  });
  const whole = choices
    .shuffled(parts)
    .reduce((x, y) => choices.weighted(changes)(choices, choices.weighted(combinations)(choices, x, y)));
  // values that only grow from one variable to the next would soon be none
  return choices.isTrue(50) ? call('clamp', whole, number(0), number(1000)) : whole;
}

/** Ids are of the calculation alone: the same ones again mean that an input is kept. */
const inputId = (at: number): string => `input_${at}`.padEnd(21, '-');

/**
 * A calculation that reads some of what it may, rather the last ones, so that chains become long.
 *
 * @param readable - at least one variable of its own instrument
 */
export function anyPiece(choices: Choices, readable: readonly Readable[], startUs: number): Piece {
  const drivers = readable.filter(({ kind }) => kind === 'self_variable');
  const driver = choices.oneOf(drivers.slice(choices.isTrue(50) ? -2 : 0));
  const count = choices.between(0, 3);
  const others = Array.from({ length: count }, () => choices.oneOf(readable.slice(choices.isTrue(40) ? -8 : 0)));
  const inputs = [driver, ...others].map(({ key, kind }, at): PieceInput => {
    const isBuffered = kind === 'constant' || at === 0 ? false : choices.isTrue(kind === 'self_variable' ? 50 : 70);
    return { id: inputId(at), kind, of: key, bufferS: isBuffered ? choices.oneOf(buffers) : undefined };
  });
  return { startUs, expression: expressionOf(choices, inputs, readable), inputs };
}
