import { describe, expect, test } from 'vitest';
import { check } from './check.js';
import type { ExpressionInput } from './references.js';
import { foreignNames, signatures } from './words.js';

const idOf = (letter: string): string => letter.repeat(21);

const input = (kind: ExpressionInput['kind'], alias: string, id: string, isWindowed = false): ExpressionInput => ({
  id: idOf(id),
  kind,
  alias,
  isWindowed,
});

const a = input('self_variable', 'a', 'a');
const w = input('self_variable', 'w', 'w', true);
const f = input('instrument_variable', 'f', 'f');
const g = input('instrument_variable', 'g', 'g', true);
const k = input('constant', 'k', 'k');

/** The faults as `character code`, or `input code`. */
function faultsOf(expression: string, inputs: readonly ExpressionInput[]): string[] {
  return check(expression, inputs).faults.map(({ code, offset, input: at }) =>
    [offset === undefined ? (at === undefined ? '-' : `input ${at}`) : offset + 1, code].join(' '),
  );
}

/** What is wrong beyond what `a + …` brings with it. */
function partFaults(expression: string, ...inputs: ExpressionInput[]): string[] {
  return faultsOf(`${expression} + a`, [a, ...inputs]);
}

describe('is right', () => {
  test.each<[string, ExpressionInput[]]>([
    ['a', []],
    ['2 * pi * e', []],
    ['k * a', [k]],
    [`{${idOf('k')}} + {${idOf('a')}}`, [k]],
    ['mean(w)', [w]],
    ['min(w) + max((w), 1)', [input('instrument_variable', 'w', 'w', true)]],
    ['max(w, g)', [input('instrument_variable', 'w', 'w', true), g]],
    ['sum(w) + count(w) + stddev(w) + median(w) + first(w) + last(w) + delta(w) + rate(w)', [w]],
    ['g + mean(g)', [g]],
    ['f', [f]],
    ['previous(a) + previous(w) + previous(f) + previous(g)', [w, f, g]],
    ['interpolate(a, 1, 2, 3, 4) + interpolate(a, -2, 1, -1, 1, k, 0, 5, 2)', [k]],
    ['if(isnull(f), coalesce(f, a, 0), clamp(a, 0, 1))', [f]],
    ['timestamp() + atan2(a, 1) + hypot(a, 1) + pow(a, 2) + min(a, 1, 2)', []],
  ])('%s', (expression, inputs) => {
    expect(partFaults(expression, ...inputs)).toEqual([]);
  });

  test('two inputs of one alias, by their ids', () => {
    const window = { ...a, id: idOf('b'), isWindowed: true };
    expect(faultsOf(`{${idOf('a')}} - mean({${idOf('b')}})`, [a, window])).toEqual([]);
  });

  test('an input without an id, by its alias', () => {
    expect(faultsOf('a', [{ ...a, id: undefined }])).toEqual([]);
  });
});

describe('is wrong', () => {
  test.each<[string, string[], ExpressionInput[]]>([
    ['b', ['1 unknown_name'], []],
    ['A', ['1 unknown_name'], []],
    ['constructor', ['1 unknown_name'], []],
    ['__proto__', ['1 unknown_name'], []],
    ['true', ['1 unknown_name'], []],
    ['PI', ['1 unknown_name'], []],
    ['mean', ['1 function_without_arguments'], []],
    [`{${idOf('x')}}`, ['1 unknown_input'], []],
    ['toString(a)', ['1 unknown_function'], []],
    ['a(1)', ['1 unknown_function'], []],
    ['Mean(a)', ['1 unknown_function'], []],
    ['b + mean(c) + d(x)', ['1 unknown_name', '10 unknown_name', '15 unknown_function', '17 unknown_name'], []],
    ['abs()', ['1 wrong_arity'], []],
    ['abs(1, b)', ['1 wrong_arity', '8 unknown_name'], []],
    ['if(a, 1)', ['1 wrong_arity'], []],
    ['coalesce(a)', ['1 wrong_arity'], []],
    ['timestamp(1)', ['1 wrong_arity'], []],
    ['min()', ['1 wrong_arity'], []],
    ['mean(w, 1)', ['1 wrong_arity'], [w]],
    ['interpolate(a, 1, 2)', ['1 wrong_arity'], []],
    ['interpolate(a, 1, 2, 3, 4, 5)', ['1 wrong_arity'], []],
    ['interpolate(a, 1, 2, 1, 4, 0, 5)', ['22 table_not_ascending', '28 table_not_ascending'], []],
    ['mean(f)', ['6 no_window'], [f]],
    ['mean(a)', ['6 no_window'], []],
    ['max(k)', ['5 no_window'], [k]],
    ['mean(w + 1)', ['1 no_window'], [w]],
    ['mean(mean(w))', ['1 no_window'], [w]],
    ['mean(pi)', ['1 no_window'], []],
    ['w + mean(w)', ['1 window_outside_function'], [w]],
    ['max(w, 1)', ['5 window_outside_function'], [w]],
    ['previous(k)', ['10 no_past'], [k]],
    ['previous(a + 1)', ['1 no_past'], []],
    ['previous(1)', ['1 no_past'], []],
    ['1', ['input 1 unused_input', 'input 2 unused_input'], [w, k]],
  ])('%s', (expression, faults, inputs) => {
    expect(partFaults(expression, ...inputs)).toEqual(faults);
  });

  test('a name of two inputs', () => {
    const inputs = [a, { ...f, alias: 'a' }];
    expect(faultsOf('a + 1', inputs)).toEqual(['1 ambiguous_name']);
    expect(check('a + 1', inputs).faults[0]?.message).toBe(
      `Character 1: 2 inputs are called a; write {${idOf('a')}} or {${idOf('f')}}.`,
    );
    expect(check('a', [a, { ...a, id: undefined }]).faults[0]?.message).toContain('give the inputs ids');
  });

  test.each<[string, ExpressionInput[]]>([
    ['1', []],
    ['k', [k]],
    ['mean(w)', [w]],
    ['f', [f]],
  ])('without a driving variable: %s', (expression, inputs) => {
    expect(faultsOf(expression, inputs)).toEqual(['- no_driving_input']);
  });

  test('the syntax alone, where it is wrong', () => {
    expect(faultsOf('b +', [a])).toEqual(['4 missing_operand']);
  });

  test('and says what to do, for a person', () => {
    const { faults } = check('mean(a) + clamp(a) + Sqrt(4) + b', [a]);
    expect(faults.map(({ message }) => message)).toEqual([
      'Character 6: This input has no window; give it past_buffer_seconds.',
      'Character 11: clamp takes 3 arguments, not 1; write clamp(x, low, high).',
      'Character 22: Functions are written in lower case: sqrt(x).',
      'Character 32: No input is called b; add one whose alias it is, or correct the name.',
    ]);
  });

  test.each([
    ['log(a)', 'Character 1: There is no function log; write ln(x), log10(x) or log2(x).'],
    ['AVG(a)', 'Character 1: There is no function AVG; write mean(x).'],
    ['a(2)', 'Character 1: There is no function a; to multiply, put a * before the parenthesis.'],
    [
      'pi()',
      'Character 1: pi is a constant, not a function: write pi alone; to multiply, put a * before the parenthesis.',
    ],
    [
      'e(a)',
      'Character 1: e is a constant, not a function: write e alone; to multiply, put a * before the parenthesis.',
    ],
  ])('and which function %s means', (expression, message) => {
    expect(check(expression, [a]).faults.map((fault) => fault.message)).toContain(message);
  });

  test('by names that are none here, for what is there', () => {
    for (const [name, meant] of foreignNames) {
      expect(signatures.has(name), name).toBe(false);
      const called = [...meant.matchAll(/([a-z0-9]+)\(/g)].map(([, each = '']) => each);
      expect(called.filter((each) => !signatures.has(each))).toEqual([]);
    }
  });
});
