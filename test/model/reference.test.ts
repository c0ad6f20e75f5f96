import { parse } from '@weir/expression';
import { describe, expect, test } from 'vitest';
import type { Computation, Entry, FinalState, PieceInput } from './final-state.js';
import { asStored, expectedResults } from './reference.js';

const second = 1_000_000;
const at = (...values: readonly (readonly [seconds: number, value: number])[]): Entry[] =>
  values.map(([seconds, value]) => [seconds * second, value]);

/** An input by its key, with or without a buffer. */
function input(of: string, kind: PieceInput['kind'], bufferS?: number): PieceInput {
  return { id: `${of}${bufferS === undefined ? '' : '_buffered'}`.padEnd(21, '-'), kind, of, bufferS };
}

function piece(text: string, inputs: readonly PieceInput[], startS = 0) {
  const { syntax } = parse(text);
  if (syntax === undefined) throw new Error(text);
  return { startUs: startS * second, expression: syntax, inputs };
}

/** The results of one calculated variable `y` over `a`, `b` (another instrument's) and the constant `k`. */
function resultsOf(computation: Computation | Computation['pieces'], observations: Record<string, Entry[]>) {
  const y = Array.isArray(computation) ? { valueType: 'decimal' as const, pieces: computation } : computation;
  const state: FinalState = {
    aliases: new Map(['a', 'b', 'k', 'y'].map((key) => [key, key])),
    constants: new Map([['k', at([10, 2], [20, 3])]]),
    observations: new Map(Object.entries(observations)),
    calculated: new Map([['y', y as Computation]]),
  };
  return expectedResults(state).get('y');
}

const a = input('a', 'self_variable');
const b = input('b', 'instrument_variable');

describe('what is expected of a calculated variable', () => {
  test('results are where what drives it has observations, in the piece that applies', () => {
    const pieces = [piece('a + 1', [a], 10), piece('a * 2', [a], 20)];
    expect(resultsOf(pieces, { a: at([9, 1], [10, 1], [19, 1], [20, 1]) })?.entries).toEqual(
      at([10, 2], [19, 2], [20, 2]),
    );
    expect(resultsOf(pieces, { a: at([10, 5], [20, 5]) })?.entries).toEqual(at([10, 6], [20, 10]));
  });

  test('constants are what is in force, and nothing before their first step', () => {
    const results = resultsOf([piece('a * k', [a, input('k', 'constant')])], { a: at([9, 1], [10, 1], [25, 1]) });
    expect(results).toEqual({ entries: at([10, 2], [25, 3]), missing: [[9 * second, 'missing_input']] });
  });

  test('another instrument is read at the exact instant, or as of it within the buffer', () => {
    const observations = { a: at([10, 0], [11, 0], [14, 0], [15, 0]), b: at([10, 7]) };
    expect(resultsOf([piece('a + b', [a, b])], observations)?.entries).toEqual(at([10, 7]));
    const asOf = [piece('a + b', [a, input('b', 'instrument_variable', 5)])];
    expect(resultsOf(asOf, observations)?.entries).toEqual(at([10, 7], [11, 7], [14, 7]));
  });

  test('a window ends with the instant and leaves out its begin; what has one drives nothing', () => {
    const inputs = [b, input('a', 'self_variable', 5), a].filter(({ of }) => of !== 'b');
    const [windowed] = inputs;
    const results = resultsOf([piece(`count({${windowed?.id}}) + 0 * {${a.id}}`, inputs)], {
      a: at([10, 1], [15, 1], [16, 1]),
    });
    expect(results?.entries).toEqual(at([10, 1], [15, 1], [16, 2]));
  });

  test('the value before is any before, or one within the buffer', () => {
    const observations = { a: at([10, 1], [15, 2], [19, 3]) };
    expect(resultsOf([piece('previous(a)', [a])], observations)?.entries).toEqual(at([15, 1], [19, 2]));
    const near = input('a', 'self_variable', 5);
    const text = `previous({${near.id}}) + 0 * {${a.id}}`;
    expect(resultsOf([piece(text, [near, a])], observations)?.entries).toEqual(at([19, 2]));
  });

  test('values are stored as their type has them', () => {
    const halves = [0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 2 ** 52 + 1, -0.4];
    expect(halves.map((value) => asStored(value, 'integer'))).toEqual([1, -1, 2, 3, -3, 0, 2 ** 52 + 1, 0]);
    expect([0, 0.1, -3].map((value) => asStored(value, 'boolean'))).toEqual([0, 1, 1]);
    expect(asStored(-0, 'decimal')).toBe(0);
  });
});
