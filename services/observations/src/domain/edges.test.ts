import { expect, test } from 'vitest';
import type { Definition, Input } from './definition.js';
import { edgesOf } from './edges.js';

const dayUs = 86_400_000_000;

function input(alias: string, variableKey: number, given: Partial<Input> = {}): Input {
  return {
    id: alias.padEnd(21, '_'),
    kind: 'self_variable',
    alias,
    variableKey,
    isCalculated: false,
    steps: [],
    ...given,
  };
}

function definition(
  ...pieces: readonly (readonly [startUs: number, expression: string, ...inputs: Input[]])[]
): Definition {
  return {
    valueType: 'decimal',
    pieces: pieces.map(([startUs, expression, ...inputs]) => ({ startUs, expression, inputs })),
  };
}

function shown(given: Definition) {
  return edgesOf(given).map(({ inputKey, isSoleDriver, reachUs, stops }) => [inputKey, reachUs, stops, isSoleDriver]);
}

const windowed = { bufferUs: dayUs };
const elsewhere = { kind: 'instrument_variable' } as const;

test.each([
  ['its value reaches the same instant', definition([0, 'a', input('a', 1)]), [[1, 0, 'never', true]]],
  [
    'of another instrument too, and of two drivers none is the sole one',
    definition([0, 'a + b + c', input('a', 1), input('b', 2), input('c', 3, elsewhere)]),
    [
      [1, 0, 'never', false],
      [2, 0, 'never', false],
      [3, 0, 'never', false],
    ],
  ],
  [
    'as of an instant until the next one',
    definition([0, 'a + b', input('a', 1), input('b', 2, { ...elsewhere, ...windowed })]),
    [
      [1, 0, 'never', true],
      [2, dayUs, 'before_next', false],
    ],
  ],
  [
    'the previous one of a driver reaches the next, and it drives where it is',
    definition([0, 'previous(a)', input('a', 1)]),
    [
      [1, 0, 'never', true],
      [1, undefined, 'at_next', true],
    ],
  ],
  [
    'a window reaches as far as it is long, and holds what is read in it',
    definition([0, 'a + mean(b) + previous(b)', input('a', 1), input('b', 1, windowed)]),
    [
      [1, dayUs, 'never', true],
      [1, dayUs, 'at_next', true],
    ],
  ],
  [
    'of two windows on one series the longer',
    definition([
      0,
      'a + max(b) + max(c) + c',
      input('a', 9),
      input('b', 1, windowed),
      input('c', 1, { ...elsewhere, bufferUs: 5 }),
    ]),
    [
      [9, 0, 'never', true],
      [1, dayUs, 'never', false],
    ],
  ],
  [
    'a longer look back than a window is an edge beside it',
    definition([
      0,
      'a + max(b) + c',
      input('a', 9),
      input('b', 1, { bufferUs: 5 }),
      input('c', 1, { ...elsewhere, ...windowed }),
    ]),
    [
      [9, 0, 'never', true],
      [1, 5, 'never', false],
      [1, dayUs, 'before_next', false],
    ],
  ],
  [
    'a buffer longer than time has no end',
    definition([0, 'a + sum(b)', input('a', 1), input('b', 2, { bufferUs: 1e300 })]),
    [
      [1, 0, 'never', true],
      [2, undefined, 'never', false],
    ],
  ],
  [
    'constants have none',
    definition([0, 'a * k', input('a', 1), input('k', 0, { kind: 'constant', steps: [{ startTimeUs: 0, value: 2 }] })]),
    [[1, 0, 'never', true]],
  ],
  ['what cannot be computed has none', definition([0, 'a + nonsense(', input('a', 1)]), []],
])('%s', (_, given, expected) => {
  expect(shown(given)).toEqual(expected);
});

test('each piece has edges in its time, one for pieces that read alike', () => {
  const given = definition(
    [0, 'a', input('a', 1)],
    [dayUs, 'a * 2', input('a', 1)],
    [2 * dayUs, 'b', input('b', 2, { isCalculated: true })],
    [3 * dayUs, 'a', input('a', 1)],
  );
  const edge = { isSoleDriver: true, reachUs: 0, stops: 'never' };
  const end = Date.UTC(2250, 0, 1) * 1000;
  expect(edgesOf(given)).toEqual([
    { ...edge, inputKey: 1, fromUs: 0, untilUs: 2 * dayUs, isCalculated: false },
    { ...edge, inputKey: 2, fromUs: 2 * dayUs, untilUs: 3 * dayUs, isCalculated: true },
    { ...edge, inputKey: 1, fromUs: 3 * dayUs, untilUs: end, isCalculated: false },
  ]);
});
