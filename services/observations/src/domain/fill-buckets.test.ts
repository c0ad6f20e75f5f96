import { expect, test } from 'vitest';
import { fillValues, placeBuckets } from './fill-buckets.js';

const starts = Float64Array.of(10, 20, 30, 40, 50, 60);
const own = { starts: Float64Array.of(0, 20, 50), values: Float64Array.of(1, 2, 5) };
const places = placeBuckets(starts, { starts: own.starts, columns: {} });
const filled = (fill: 'null' | 'previous' | 'linear', values = own.values) => [
  ...fillValues(starts, places, { ...own, values }, fill),
];

test('each bucket of a page finds its observations, or none', () => {
  expect([...places]).toEqual([-1, 1, -1, -1, 2, -1]);
});

test('gaps are null, repeat what was before, or lie on a line, the buckets beyond the page included', () => {
  expect(filled('null')).toEqual([Number.NaN, 2, Number.NaN, Number.NaN, 5, Number.NaN]);
  expect(filled('previous')).toEqual([1, 2, 2, 2, 5, 5]);
  expect(filled('linear')).toEqual([1.5, 2, 3, 4, 5, Number.NaN]);
});

test('an aggregate that overflowed stays null and fills no gap', () => {
  const values = Float64Array.of(1, Number.NaN, 5);
  expect(filled('previous', values)).toEqual([1, Number.NaN, Number.NaN, Number.NaN, 5, 5]);
  expect(filled('linear', values)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN, 5, Number.NaN]);
});

test('a line between values far apart does not overflow', () => {
  const [between] = fillValues(
    Float64Array.of(5),
    Int32Array.of(-1),
    { starts: Float64Array.of(0, 10), values: Float64Array.of(-1.7e308, 1.7e308) },
    'linear',
  );
  expect(between).toBe(0);
});
