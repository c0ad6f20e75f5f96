import { expect, test } from 'vitest';
import { formatInstants } from './format-instants.js';

test('writes instants as a JSON array, and null where there is none', () => {
  expect(formatInstants(Float64Array.of(-1, Number.NaN, 1_500, 1_000))).toBe(
    '["1969-12-31T23:59:59.999999Z",null,"1970-01-01T00:00:00.001500Z","1970-01-01T00:00:00.001Z"]',
  );
  expect(formatInstants(Float64Array.of(Number.NaN))).toBe('[null]');
  expect(formatInstants(new Float64Array())).toBe('[]');
});
