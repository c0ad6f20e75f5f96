import { expect, test } from 'vitest';
import { Faults } from './faults.js';
import { checkJson, hasEscapes, parseJson } from './json.js';

function check(text: string): { readonly isSafe: boolean; readonly hasFaults: boolean; readonly ms: number } {
  const faults = new Faults();
  const startedMs = performance.now();
  const isSafe = checkJson(parseJson(text, faults), faults);
  return { isSafe, hasFaults: faults.hasAny, ms: performance.now() - startedMs };
}

test.each([
  ['deep arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
  ['deep objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
])('%s are refused without recursing into them', (_, text) => {
  expect(check(text)).toMatchObject({ isSafe: false, hasFaults: true });
});

test('a large object is walked once, a bad one is left early', () => {
  const members = (value: string) => `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":${value}`).join()}}`;
  expect(check(members('1'))).toMatchObject({ isSafe: true, hasFaults: false });
  expect(check(members('1e400'))).toMatchObject({ isSafe: false, hasFaults: true });
});

test('what only an escape can bring is seen, and prototypes stay as they are', () => {
  for (const text of ['"\\u0000"', '{"a\\u0000":1}', '["\\udc00"]', '{"\\u005f_proto__":{"x":1}}']) {
    expect(hasEscapes(text)).toBe(true);
    expect(check(text).hasFaults).toBe(true);
  }
  expect(check('"\\ud83c\\udf0a"').hasFaults).toBe(false);
  expect(({} as { x?: unknown }).x).toBeUndefined();
});
