import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { syntaxesOf } from '../test/arbitrary-syntax.js';
import { type Entry, evaluatePlainly, type Outcome, type ReferenceInput } from '../test/reference.js';
import { check } from './check.js';
import { columnsOf, stepColumn } from './columns.js';
import { compile } from './compile.js';
import { evaluate } from './evaluate.js';
import { type MissingReason, missingReasons } from './frame.js';
import { print } from './print.js';
import type { Syntax } from './syntax.js';

const idOf = (letter: string): string => letter.repeat(21);

function input(
  kind: ReferenceInput['kind'],
  alias: string,
  entries: readonly Entry[],
  bufferUs?: number,
): ReferenceInput {
  return { id: idOf(alias), kind, alias, isWindowed: bufferUs !== undefined, bufferUs, entries };
}

function seriesOf(entries: readonly Entry[]) {
  const sorted = entries.toSorted(([a], [b]) => a - b);
  return { atUs: Float64Array.from(sorted, ([at]) => at), values: Float64Array.from(sorted, ([, value]) => value) };
}

/** Evaluates at ascending instants by way of columns. */
function outcomes(expression: string, inputs: readonly ReferenceInput[], instants: readonly number[]): Outcome[] {
  const { checked, faults } = check(expression, inputs);
  if (checked === undefined) throw new Error(faults.map(({ message }) => message).join(' '));
  const compiled = compile(checked);
  const instantsUs = Float64Array.from(instants);
  const columns = inputs.map(({ kind, bufferUs, entries }, at) => {
    const needs = compiled.needs[at];
    if (needs === undefined) throw new Error('no needs');
    if (kind !== 'constant') return columnsOf(needs, { kind, bufferUs }, instantsUs, seriesOf(entries));
    return stepColumn(
      instantsUs,
      [...entries].sort(([a], [b]) => a - b).map(([startTimeUs, value]) => ({ startTimeUs, value })),
    );
  });
  const { values, reasons, missing } = evaluate(compiled, instantsUs, columns);
  const results = [...values].map((value, row) =>
    Number.isNaN(value) ? (missingReasons[(reasons[row] as number) - 1] as MissingReason) : value,
  );
  for (const reason of missingReasons) expect(missing[reason]).toBe(results.filter((found) => found === reason).length);
  return results;
}

/** The value of an expression that reads nothing. */
function valueOf(expression: string): Outcome | undefined {
  return outcomes(`(${expression}) + 0 * a`, [input('self_variable', 'a', [[0, 2]])], [0])[0];
}

describe('arithmetic', () => {
  test.each<[string, Outcome]>([
    ['1 + 2 * 3 - 4 / 8', 6.5],
    ['-2 ^ 2', -4],
    ['2 ^ 3 ^ 2', 512],
    ['2 ^ -1', 0.5],
    ['7 % 3 + -7 % 3', 0],
    ['0.1 + 0.2', 0.1 + 0.2],
    ['(1 < 2) + (2 <= 2) + (1 > 2) + (2 >= 3) + (1 == 1) + (1 != 1)', 3],
    ['(not 5) + (not 0)', 1],
    ['(3 and 2) + (0 or 7)', 2],
    ['0 and 1 / 0', 0],
    ['1 or 1 / 0', 1],
    ['1 / 0 and 0', 'division_by_zero'],
    ['if(0, 1 / 0, 5)', 5],
    ['if(2, 5, 1 / 0)', 5],
    ['if(0 / 0, 1, 2)', 'division_by_zero'],
    ['round(2.5) + round(-2.5) + round(0.4)', 0],
    ['round(-0.5)', -1],
    ['floor(-1.5) + ceil(-1.5) + trunc(-1.5) + sign(-3)', -5],
    ['min(3, 1, 2) + max(3, 1, 2)', 4],
    ['clamp(5, 0, 1) + clamp(-5, 0, 1) + clamp(0.5, 0, 1)', 1.5],
    ['clamp(1, 2, 0)', 'domain_error'],
    ['coalesce(1 / 0, sqrt(-1), 7)', 7],
    ['coalesce(1 / 0, sqrt(-1))', 'domain_error'],
    ['isnull(1 / 0) + isnull(0)', 1],
    ['1 / 0', 'division_by_zero'],
    ['0 / 0', 'division_by_zero'],
    ['5 % 0', 'division_by_zero'],
    ['0 ^ -1', 'division_by_zero'],
    ['0 ^ 0', 1],
    ['(-8) ^ (1 / 3)', 'domain_error'],
    ['cbrt(-8)', -2],
    ['ln(0)', 'domain_error'],
    ['log10(-1)', 'domain_error'],
    ['log2(8) + log10(100) + ln(e)', 6],
    ['asin(2)', 'domain_error'],
    ['1e308 * 10', 'overflow'],
    ['exp(1000)', 'overflow'],
    ['10 ^ 400', 'overflow'],
    ['atan2(0, -0)', 0],
    ['hypot(3, 4)', 5],
    ['interpolate(1.5, 0, 0, 1, 10, 2, 30)', 20],
    ['interpolate(2, 0, 0, 1, 10, 2, 30) + interpolate(0, 0, 5, 1, 10)', 35],
    ['interpolate(2.1, 0, 0, 1, 10, 2, 30)', 'domain_error'],
    ['interpolate(-1, 0, 0, 1, 10)', 'domain_error'],
    ['interpolate(1, 0, 0, 1 - 1, 10)', 'domain_error'],
    ['interpolate(0.5, 0, -1.7e308, 1, 1.7e308)', 'overflow'],
    ['interpolate(0, -1.7e308, 0, 1.7e308, 100)', 'overflow'],
    ['interpolate(-1.7e308, -1.7e308, 3, 1.7e308, 100)', 3],
    ['interpolate(0, 0, -1.7e308, 1, 1.7e308)', -1.7e308],
    ['sqrt(-1) + 1 / 0', 'domain_error'],
  ])('%s is %s', (expression, expected) => {
    expect(valueOf(expression)).toBe(expected);
  });

  test('never gives -0', () => {
    expect(outcomes('-a', [input('self_variable', 'a', [[0, 0]])], [0])).toEqual([0]);
  });

  test('is not evaluated without the columns that it needs', () => {
    const { checked } = check('a', [input('self_variable', 'a', [])]);
    if (checked === undefined) throw new Error('faults');
    const compiled = compile(checked);
    for (const columns of [[], [{}], [{ values: new Float64Array(2) }]]) {
      expect(() => evaluate(compiled, new Float64Array(1), columns)).toThrow('input 0');
    }
  });

  test('knows the instant', () => {
    expect(outcomes('timestamp() + 0 * a', [input('self_variable', 'a', [[1_500_000, 7]])], [1_500_000])).toEqual([
      1.5,
    ]);
  });
});

describe('inputs', () => {
  const drive = input(
    'self_variable',
    'a',
    [0, 10, 20, 30].map((at) => [at, 1] as const),
  );
  const at = [0, 10, 20, 30];
  const few: Entry[] = [
    [5, 3],
    [10, 1],
    [25, 2],
  ];

  test('of other instruments are read as of the instant within the buffer, else at the instant', () => {
    const as = (buffer?: number) => outcomes('a * f', [drive, input('instrument_variable', 'f', few, buffer)], at);
    expect(as()).toEqual(['missing_input', 1, 'missing_input', 'missing_input']);
    expect(as(10)).toEqual(['missing_input', 1, 'missing_input', 2]);
    expect(as(11)).toEqual(['missing_input', 1, 1, 2]);
  });

  test('of the same instrument at the instant alone', () => {
    expect(outcomes('a * coalesce(f, 9)', [drive, input('self_variable', 'f', few)], at)).toEqual([9, 1, 9, 9]);
  });

  test('constants are in force from their steps on', () => {
    const k = input('constant', 'k', [
      [10, 5],
      [21, 6],
    ]);
    expect(outcomes('a * k', [drive, k], at)).toEqual(['missing_input', 5, 5, 6]);
  });

  test.each<[string, Outcome[]]>([
    ['count(w)', [0, 2, 2, 1]],
    ['sum(w)', ['missing_input', 4, 4, 2]],
    ['mean(w)', ['missing_input', 2, 2, 2]],
    ['median(w)', ['missing_input', 2, 2, 2]],
    ['min(w)', ['missing_input', 1, 1, 2]],
    ['max(w)', ['missing_input', 3, 3, 2]],
    ['first(w)', ['missing_input', 3, 3, 2]],
    ['last(w)', ['missing_input', 1, 1, 2]],
    ['delta(w)', ['missing_input', -2, -2, 'missing_input']],
    ['rate(w)', ['missing_input', -2 / (5 / 1e6), -2 / (5 / 1e6), 'missing_input']],
    ['stddev(w)', ['missing_input', Math.SQRT2, Math.SQRT2, 'missing_input']],
    ['previous(w)', ['missing_input', 3, 1, 2]],
  ])('in windows (t - 16, t]: %s', (expression, expected) => {
    expect(outcomes(`a * ${expression}`, [drive, input('self_variable', 'w', few, 16)], at)).toEqual(expected);
  });

  test('previous goes back without end where there is no buffer', () => {
    expect(outcomes('a + previous(a)', [drive], at)).toEqual(['missing_input', 2, 2, 2]);
    const f = input('instrument_variable', 'f', few);
    expect(outcomes('a * previous(f)', [drive, f], at)).toEqual(['missing_input', 3, 1, 2]);
  });

  test('a window that overflows has no value, also where it is named twice', () => {
    const w = input(
      'self_variable',
      'w',
      [1, 2].map((t) => [t, 1.7e308] as const),
      100,
    );
    expect(outcomes('a * mean(w) + mean(w)', [drive, w], at)).toEqual([
      'missing_input',
      'overflow',
      'overflow',
      'overflow',
    ]);
  });
});

const instants = [0, 5, 10, 15, 20, 25, 30];
const entries = fc.uniqueArray(
  fc.tuple(
    fc.constantFrom(...[-8, -5, -1, ...instants, 3, 17]),
    fc
      .oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true, noDefaultInfinity: true }))
      .map((value) => value + 0),
  ),
  { selector: ([at]) => at, maxLength: 10 },
);
const name = (alias: string): Syntax => ({ kind: 'name', name: alias, offset: 0 });
const over = (alias: string, functions: readonly string[]): Syntax[] =>
  functions.map((of) => ({ kind: 'call', name: of, operands: [name(alias)], offset: 0 }));
const windowed = [
  'mean',
  'sum',
  'count',
  'stddev',
  'median',
  'first',
  'last',
  'delta',
  'rate',
  'min',
  'max',
  'previous',
];
const leaves: Syntax[] = [
  ...['a', 'f', 'g', 'k', 'pi', 'e'].map(name),
  { kind: 'id', id: idOf('a'), offset: 0 },
  { kind: 'call', name: 'timestamp', operands: [], offset: 0 },
  ...over('w', windowed),
  ...over('g', windowed),
  ...over('a', ['previous']),
  ...over('f', ['previous']),
];
const expressions = syntaxesOf({
  leaf: fc.oneof(
    fc.constantFrom(...leaves),
    fc.integer({ min: 0, max: 3 }).map((value): Syntax => ({ kind: 'number', value, offset: 0 })),
  ),
  calls: [
    ...['abs', 'sqrt', 'cbrt', 'exp', 'ln', 'round', 'floor', 'sin', 'atan', 'tanh', 'isnull'].map(
      (of) => [of, 1] as const,
    ),
    ...['pow', 'atan2', 'hypot', 'min', 'max', 'coalesce'].map((of) => [of, 2] as const),
    ['clamp', 3],
    ['if', 3],
    ['interpolate', 7],
  ],
});

test('gives what the plainest evaluation gives, bit for bit', () => {
  const buffers = fc.constantFrom(3, 5, 10, 40);
  fc.assert(
    fc.property(
      expressions,
      fc.tuple(entries, entries, entries, entries, entries),
      buffers,
      buffers,
      (syntax, data, wide, far) => {
        const inputs = [
          input('self_variable', 'a', data[0]),
          input('self_variable', 'w', data[1], wide),
          input('instrument_variable', 'f', data[2]),
          input('instrument_variable', 'g', data[3], far),
          input('constant', 'k', data[4]),
        ];
        // all inputs are used, whatever the expression is
        const text = `if(0, a + count(w) + f + g + k, ${print(syntax)})`;
        const { checked } = check(text, inputs);
        // what has no faults is all that the evaluator promises something of
        fc.pre(checked !== undefined);
        const expected = instants.map((at) => evaluatePlainly(syntax, inputs, at));
        const plain = expected.map((value) => (typeof value === 'number' ? value + 0 : value));
        expect(outcomes(text, inputs, instants)).toEqual(plain);
        // and alone, each instant has the same value
        expect(instants.flatMap((at) => outcomes(text, inputs, [at]))).toEqual(plain);
      },
    ),
    { numRuns: 1000 },
  );
});
