import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RollupBuilder } from './rollup-builder.js';

const minuteUs = 60_000_000;

test('one row a quarter of an hour, then one an hour', () => {
  const builder = new RollupBuilder();
  builder.add(Float64Array.of(0, minuteUs, 14 * minuteUs), Float64Array.of(1, 5, 3));
  builder.add(Float64Array.of(16 * minuteUs, 61 * minuteUs), Float64Array.of(-2, 8));
  const rollups = builder.finish();
  expect(Object.fromEntries(Object.entries(rollups).map(([name, column]) => [name, [...column]]))).toEqual({
    startsUs: [0, 15 * minuteUs, 60 * minuteUs, 0, 60 * minuteUs],
    lengthsS: [900, 900, 900, 3600, 3600],
    counts: [3, 1, 1, 4, 1],
    totals: [9, -2, 8, 7, 8],
    minima: [1, -2, 8, -2, 8],
    maxima: [5, -2, 8, 5, 8],
    firsts: [1, -2, 8, 1, 8],
    lasts: [3, -2, 8, -2, 8],
    firstInstants: [0, 16 * minuteUs, 61 * minuteUs, 0, 61 * minuteUs],
    lastInstants: [14 * minuteUs, 16 * minuteUs, 61 * minuteUs, 16 * minuteUs, 61 * minuteUs],
    minInstants: [0, 16 * minuteUs, 61 * minuteUs, 16 * minuteUs, 61 * minuteUs],
    maxInstants: [minuteUs, 16 * minuteUs, 61 * minuteUs, minuteUs, 61 * minuteUs],
    areas: [6 * minuteUs + 8 * 13 * minuteUs, 0, 0, 6 * minuteUs + 8 * 13 * minuteUs + 2 * minuteUs, 0],
    gaps: [13 * minuteUs, 0, 0, 13 * minuteUs, 0],
  });
});

test('values too large to be added up leave no total and no area, and all else', () => {
  const builder = new RollupBuilder();
  builder.add(Float64Array.of(0, 1, 2, 16 * minuteUs), Float64Array.of(1, 1e300, 2, 3));
  const { totals, areas, maxima, lasts } = builder.finish();
  expect([totals, areas].map((column) => [...column])).toEqual([
    [Number.NaN, 3, Number.NaN],
    [Number.NaN, 0, Number.NaN],
  ]);
  expect([[...maxima], [...lasts]]).toEqual([
    [1e300, 3, 1e300],
    [2, 3, 3],
  ]);
});

test('is the same however the observations come in pages', () => {
  const rows = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 10 * minuteUs }), fc.double({ min: -1e291, max: 1e291, noNaN: true })),
    { minLength: 1, maxLength: 60 },
  );
  fc.assert(
    fc.property(rows, fc.integer({ min: 1, max: 59 }), (steps, cut) => {
      let atUs = -3_600_000_000;
      const instants = Float64Array.from(steps, ([stepUs]) => (atUs += stepUs));
      const values = Float64Array.from(steps, ([, value]) => value);
      const whole = new RollupBuilder();
      whole.add(instants, values);
      const paged = new RollupBuilder();
      paged.add(instants.subarray(0, cut), values.subarray(0, cut));
      paged.add(instants.subarray(cut), values.subarray(cut));
      expect(paged.finish()).toEqual(whole.finish());
    }),
    { numRuns: 100, seed: 6 },
  );
});
