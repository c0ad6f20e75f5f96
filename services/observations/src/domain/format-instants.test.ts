import { formatInstant, observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInstants } from './format-instants.js';

test('writes instants as the public form does', () => {
  const instant = fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs - 1 });
  const millis = instant.map((us) => Math.floor(us / 1000) * 1000);
  fc.assert(
    fc.property(fc.array(fc.oneof(instant, millis)), (instants) => {
      expect(JSON.parse(formatInstants(Float64Array.from(instants)))).toEqual(instants.map(formatInstant));
    }),
  );
});

test('pads, also before 1970', () => {
  expect(formatInstants(Float64Array.of(-1, 0, 1_500, 1_000))).toBe(
    '["1969-12-31T23:59:59.999999Z","1970-01-01T00:00:00.000Z","1970-01-01T00:00:00.001500Z","1970-01-01T00:00:00.001Z"]',
  );
  expect(formatInstants(new Float64Array())).toBe('[]');
});
