import { expect, test } from 'vitest';
import { check } from './check.js';
import { compile } from './compile.js';
import { evaluate } from './evaluate.js';
import { windowRowsMax } from './limits.js';

test('a window of more observations than are allowed has no value', () => {
  const inputs = [
    { id: 'x'.repeat(21), kind: 'self_variable', alias: 'x', isWindowed: false },
    { id: 'w'.repeat(21), kind: 'self_variable', alias: 'w', isWindowed: true },
  ] as const;
  // what is in them is not looked at: they are counted
  const windows = {
    atUs: new Float64Array(),
    values: new Float64Array(),
    starts: Uint32Array.of(0, 0, 1),
    ends: Uint32Array.of(windowRowsMax, windowRowsMax + 1, windowRowsMax + 1),
  };
  const resultsOf = (expression: string) => {
    const { checked } = check(expression, inputs);
    if (checked === undefined) throw new Error('faulty');
    const columns = [{ values: Float64Array.of(1, 1, 1) }, { windows }];
    return evaluate(compile(checked), Float64Array.of(1, 2, 3), columns);
  };
  const { values, missing } = resultsOf('x * count(w)');
  expect([...values]).toEqual([windowRowsMax, Number.NaN, windowRowsMax]);
  expect(missing.window_too_large).toBe(1);
  expect([...resultsOf('x + coalesce(count(w), -1)').values]).toEqual([windowRowsMax + 1, 0, windowRowsMax + 1]);
});
