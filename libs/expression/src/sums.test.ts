import { expect, test } from 'vitest';
import { squaresOf, sumOf } from './sums.js';

test('a sum keeps what plain addition loses', () => {
  const values = Float64Array.of(9, 1, 1e100, 1, -1e100, 9);
  expect(sumOf(values, 1, 5)).toBe(2);
  const tenths = new Float64Array(1_000_000).fill(0.1);
  expect(sumOf(tenths, 0, tenths.length)).toBe(100_000);
});

test('squares are those of the distances', () => {
  expect(squaresOf(Float64Array.of(1, 2, 3, 4), 0, 4, 2.5)).toBe(5);
});

test('an overflow is not finite', () => {
  expect(Number.isFinite(sumOf(Float64Array.of(1.7e308, 1.7e308, -1.7e308), 0, 3))).toBe(false);
});
