import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BucketPosition, cutBuckets, positionAfter } from './bucket-page.js';
import type { Buckets } from './buckets.js';

const series = fc.array(
  fc
    .uniqueArray(fc.integer({ min: 0, max: 12 }), { maxLength: 10 })
    .map((starts): Buckets => ({ starts: Float64Array.from(starts).sort(), columns: {} })),
  { minLength: 1, maxLength: 4 },
);

test('pages go bucket by bucket and within one by series, are full, and leave nothing out', () => {
  fc.assert(
    fc.property(series, fc.integer({ min: 1, max: 9 }), fc.boolean(), (all, limit, descending) => {
      const found: [bucketUs: number, seriesIndex: number][] = [];
      let from: BucketPosition | undefined;
      do {
        const rest = all.map((each, i) => cutBuckets(each, i, { from }, descending));
        const until = positionAfter(rest, limit, descending);
        const page = rest.flatMap((each, i) =>
          Array.from(cutBuckets(each, i, { until }, descending).starts, (start): [number, number] => [start, i]),
        );
        page.sort(([a, i], [b, j]) => (descending ? b - a : a - b) || i - j);
        expect(until === undefined ? page.length <= limit : page.length === limit).toBe(true);
        found.push(...page);
        from = until;
      } while (from !== undefined);
      const expected = all.flatMap(({ starts }, i) => Array.from(starts, (start): [number, number] => [start, i]));
      expected.sort(([a, i], [b, j]) => (descending ? b - a : a - b) || i - j);
      expect(found).toEqual(expected);
    }),
    { numRuns: 200, seed: 6 },
  );
});
