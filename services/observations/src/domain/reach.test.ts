import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  arbitraryDefinition,
  arbitraryState,
  changesBetween,
  differing,
  holds,
  isDriven,
  type State,
  spanUs,
} from '../../test/reach-model.js';
import { type Edge, edgesOf } from './edges.js';
import { reachOf, segmentsOf } from './reach.js';

const runs = { numRuns: 250, seed: 4 };
const timeoutMs = 30_000;
const instants = Array.from({ length: 2 * spanUs }, (_, us) => us);
const arbitraryStep = fc.record({
  definition: arbitraryDefinition,
  before: arbitraryState,
  after: arbitraryState,
  // series that do not change at all
  kept: fc.subarray([1, 2, 3]),
});

function reached(before: State, after: State, edges: readonly Edge[], isTold: boolean) {
  const { changes, nextsUs } = changesBetween(before, after, isTold);
  return reachOf(edges, segmentsOf(changes), changes, nextsUs);
}

describe('what changed observations reach', () => {
  test(
    'is exactly where something else is read',
    () => {
      fc.assert(
        fc.property(arbitraryStep, ({ definition, before, after: changed, kept }) => {
          const after = new Map(
            [...changed].map(([key, values]) => [key, kept.includes(key) ? (before.get(key) ?? values) : values]),
          );
          const ranges = reached(before, after, edgesOf(definition), false);
          expect(instants.filter((us) => holds(ranges, us))).toEqual(differing(before, after, definition));
          const gaps = ranges.startsUs.slice(1).map((startUs, i) => startUs - (ranges.endsUs[i] as number));
          expect(gaps.every((gap) => gap > 0)).toBe(true);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test(
    'is the same for instants of results where neighbours are known, in no more ranges',
    () => {
      fc.assert(
        fc.property(arbitraryStep, ({ definition, before, after }) => {
          const edges = edgesOf(definition);
          const ranges = reached(before, after, edges, true);
          const driven = instants.filter((us) => isDriven([before, after], definition, us));
          const expected = new Set(differing(before, after, definition));
          expect(driven.filter((us) => holds(ranges, us))).toEqual(driven.filter((us) => expected.has(us)));
          const apart = reached(before, after, edges, false);
          expect(ranges.startsUs.length).toBeLessThanOrEqual(apart.startsUs.length);
        }),
        runs,
      );
    },
    timeoutMs,
  );

  test('of a series that alone drives is one range for all that is next to each other', () => {
    const series: State = new Map([[1, new Map(instants.map((us) => [us * 10, us]))]]);
    const edge: Edge = {
      inputKey: 1,
      fromUs: 0,
      untilUs: 10_000,
      isCalculated: false,
      isSoleDriver: true,
      reachUs: 0,
      stops: 'never',
    };
    const ranges = reached(new Map(), series, [edge], true);
    expect([...ranges.startsUs, ...ranges.endsUs]).toEqual([0, (instants.length - 1) * 10 + 1]);
    const shared = reached(new Map(), series, [{ ...edge, isSoleDriver: false }], true);
    expect(shared.startsUs).toHaveLength(instants.length);
  });
});
