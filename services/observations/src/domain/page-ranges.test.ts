import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coveredRanges, positionAfter, rangesAfter, type SeriesRange } from './page-ranges.js';

const seed = 7;

/** Disjoint ranges of some series, in the order that they are read in. */
const askedRanges = fc
  .tuple(
    fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
    fc.boolean(),
  )
  .map(([series, descending]) => {
    const ranges = series.flatMap((bounds, seriesIndex): SeriesRange[] => {
      const sorted = bounds.sort((a, b) => a - b);
      const own = sorted.flatMap((startUs, i) =>
        i % 2 === 0 && sorted[i + 1] !== undefined ? [{ seriesIndex, startUs, endUs: sorted[i + 1] as number }] : [],
      );
      return descending ? own.reverse() : own;
    });
    return { ranges, descending };
  });

const instantsOf = (ranges: readonly SeriesRange[], descending: boolean): string[] =>
  ranges.flatMap(({ seriesIndex, startUs, endUs }) => {
    const instants = Array.from({ length: endUs - startUs }, (_, i) => `${seriesIndex}/${startUs + i}`);
    return descending ? instants.reverse() : instants;
  });

test('pages cover every instant of the ranges once and in order, wherever they are cut', () => {
  fc.assert(
    fc.property(askedRanges, fc.array(fc.nat()), ({ ranges, descending }, choices) => {
      const covered: string[] = [];
      let left = rangesAfter(ranges, undefined, descending);
      while (left.length > 0) {
        const choice = choices.pop();
        const cutAt = choice === undefined ? undefined : choice % left.length;
        const cutRange = left[cutAt ?? 0] as SeriesRange;
        // the first range of a page has at least the observation before the one that did not fit
        const hasNone = cutAt !== 0 && (choice ?? 0) % 2 === 0;
        const lastUs = hasNone ? undefined : descending ? cutRange.endUs - 1 : cutRange.startUs;
        const page = coveredRanges(left, cutAt === undefined ? undefined : { rangeIndex: cutAt, lastUs }, descending);
        expect(page.length).toBeGreaterThan(0);
        covered.push(...instantsOf(page, descending));
        const rest = rangesAfter(ranges, positionAfter(page, descending), descending);
        expect(instantsOf(rest, descending).length).toBeLessThan(instantsOf(left, descending).length);
        left = rest;
      }
      expect(covered).toEqual(instantsOf(ranges, descending));
    }),
    { seed },
  );
});
