import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonRanges, coverRanges, differingRanges, type Step, stepsOf, type TimeRange } from './steps.js';

const endUs = 40;

function valueAt<T>(steps: readonly Step<T>[], us: number): T | undefined {
  return steps.findLast(({ startTimeUs }) => startTimeUs <= us)?.value;
}

function isIn(ranges: readonly TimeRange[], us: number): boolean {
  return ranges.some(({ startUs, endUs: rangeEndUs }) => startUs <= us && us < rangeEndUs);
}

function arbitrarySteps<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Step<T>[]> {
  return fc
    .uniqueArray(fc.record({ startTimeUs: fc.integer({ min: 0, max: endUs + 3 }), value }), {
      selector: ({ startTimeUs }) => startTimeUs,
      maxLength: 12,
    })
    .map((steps) => steps.sort((a, b) => a.startTimeUs - b.startTimeUs));
}

const instants = Array.from({ length: endUs + 5 }, (_, us) => us - 1);
const numbers = arbitrarySteps(fc.constantFrom(1, 2, 3));
const booleans = arbitrarySteps(fc.boolean());

function expectTidy(ranges: readonly TimeRange[]): void {
  for (const [at, { startUs, endUs: rangeEndUs }] of ranges.entries()) {
    expect(startUs).toBeLessThan(rangeEndUs);
    if (at > 0) expect(startUs).toBeGreaterThan(ranges[at - 1]?.endUs ?? startUs);
  }
}

describe('differingRanges', () => {
  test('covers the instants at which two functions differ, and no others', () => {
    fc.assert(
      fc.property(numbers, numbers, (before, after) => {
        const ranges = differingRanges(before, after, endUs);
        expectTidy(ranges);
        for (const us of instants) {
          const differs = us < endUs && valueAt(before, us) !== valueAt(after, us);
          expect([us, isIn(ranges, us)]).toEqual([us, differs]);
        }
      }),
    );
  });

  test('keeps changes that lie apart apart', () => {
    const before = [1, 2, 3, 4].map((value) => ({ startTimeUs: value * 5, value }));
    const after = before.map(({ startTimeUs, value }) => ({ startTimeUs, value: value % 2 === 0 ? value : -value }));
    expect(differingRanges(before, after, endUs)).toEqual([
      { startUs: 5, endUs: 10 },
      { startUs: 15, endUs: 20 },
    ]);
    expect(differingRanges([], before, endUs)).toEqual([{ startUs: 5, endUs }]);
    expect(differingRanges(before, before, endUs)).toEqual([]);
  });
});

test('commonRanges covers the instants at which both functions are true', () => {
  fc.assert(
    fc.property(booleans, booleans, (a, b) => {
      const ranges = commonRanges(a, b, endUs);
      expectTidy(ranges);
      for (const us of instants) {
        expect(isIn(ranges, us)).toBe(us < endUs && valueAt(a, us) === true && valueAt(b, us) === true);
      }
    }),
  );
});

test('stepsOf is true in the ranges alone', () => {
  fc.assert(
    fc.property(numbers, numbers, (before, after) => {
      const ranges = differingRanges(before, after, endUs);
      for (const us of instants) expect(valueAt(stepsOf(ranges), us) ?? false).toBe(isIn(ranges, us));
    }),
  );
});

test('coverRanges covers everything with few ranges, and as little else as can be', () => {
  fc.assert(
    fc.property(numbers, numbers, fc.integer({ min: 1, max: 5 }), (before, after, max) => {
      const ranges = differingRanges(before, after, endUs);
      const covering = coverRanges(ranges, max);
      expectTidy(covering);
      expect(covering.length).toBe(Math.min(ranges.length, max));
      for (const us of instants.filter((instant) => isIn(ranges, instant))) expect(isIn(covering, us)).toBe(true);
      const gaps = ranges.slice(1).map(({ startUs }, at) => startUs - (ranges[at]?.endUs ?? 0));
      const closed = gaps.sort((a, b) => a - b).slice(0, Math.max(0, ranges.length - max));
      const length = (all: readonly TimeRange[]) => all.reduce((sum, range) => sum + range.endUs - range.startUs, 0);
      expect(length(covering)).toBe(length(ranges) + closed.reduce((sum, gap) => sum + gap, 0));
    }),
  );
});
