import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rangeOf } from '../../test/range-of.js';
import { clipRanges, forEachWithin, stretchBack, uniteRanges } from './combine-ranges.js';
import type { Ranges } from './ranges.js';

const size = 24;
const all = Array.from({ length: size }, (_, us) => us);
const arbitraryRanges = fc
  .array(fc.tuple(fc.nat(size), fc.nat(size)), { maxLength: 5 })
  .map((pairs) => uniteRanges(pairs.map(([a, b]) => rangeOf(Math.min(a, b), Math.max(a, b)))));

const has = ({ startsUs, endsUs }: Ranges, us: number): boolean =>
  startsUs.some((startUs, i) => startUs <= us && us < (endsUs[i] as number));
const instantsOf = (ranges: Ranges): number[] => all.filter((us) => has(ranges, us));

/** Ascending, none empty, none touching the next. */
function expectNormal({ startsUs, endsUs }: Ranges): void {
  const bounds = Array.from(startsUs, (startUs, i) => [startUs, endsUs[i] as number]).flat();
  expect(bounds.every((us, i) => i === 0 || us > (bounds[i - 1] as number))).toBe(true);
}

test('ranges are sets of instants', () => {
  fc.assert(
    fc.property(arbitraryRanges, arbitraryRanges, fc.nat(size), fc.nat(size), (a, b, from, until) => {
      const united = uniteRanges([a, b]);
      expectNormal(united);
      expect(instantsOf(united)).toEqual(all.filter((us) => has(a, us) || has(b, us)));
      const clipped = clipRanges(a, from, until);
      expectNormal(clipped);
      expect(instantsOf(clipped)).toEqual(instantsOf(a).filter((us) => from <= us && us < until));
      const stretched = stretchBack(a, 3);
      expectNormal(stretched);
      expect(instantsOf(stretched)).toEqual(all.filter((us) => [0, 1, 2, 3].some((by) => has(a, us + by))));
      const visited: number[] = [];
      forEachWithin(Float64Array.from(all), a, (at) => visited.push(at));
      expect(visited).toEqual(instantsOf(a));
    }),
    { seed: 41, numRuns: 500 },
  );
});
