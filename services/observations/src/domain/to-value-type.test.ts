import { expect, test } from 'vitest';
import { toValueType } from './to-value-type.js';

const given = Float64Array.of(0.5, -0.5, 1.49, -2.5, 0.49999999999999994, -0.1, 2 ** 52 + 1, 1e300, Number.NaN, 0);

test('integers are rounded, halves away from zero, into one zero', () => {
  const rounded = [...toValueType(given, 'integer')];
  expect(rounded).toEqual([1, -1, 1, -3, 0, 0, 2 ** 52 + 1, 1e300, Number.NaN, 0]);
  expect(rounded.some((value) => Object.is(value, -0))).toBe(false);
});

test('booleans are 0 and 1', () => {
  expect([...toValueType(given, 'boolean')]).toEqual([1, 1, 1, 1, 1, 1, 1, 1, Number.NaN, 0]);
});
