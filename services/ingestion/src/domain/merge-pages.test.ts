import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePages } from './merge-pages.js';

/** Pages of a list of ids, as a store gives them. */
function pageOf(ids: readonly string[], before: string, limit: number) {
  const below = ids.filter((id) => id < before);
  const runs = below.slice(0, limit).map((runId) => ({ runId }));
  return { runs, nextAfter: below.length > limit ? (runs.at(-1)?.runId ?? '') : '' };
}

test('pages of both kinds give every run once, in descending order', () => {
  const ids = fc
    .uniqueArray(fc.integer({ min: 100, max: 999 }), { maxLength: 30 })
    .map((numbers) => numbers.map(String));
  fc.assert(
    fc.property(ids, fc.nat(), fc.integer({ min: 1, max: 7 }), (all, seed, limit) => {
      const sorted = [...all].sort().reverse();
      const isOne = (id: string): boolean => (Number(id) * 7919 + seed) % 3 === 0;
      const [one, other] = [sorted.filter(isOne), sorted.filter((id) => !isOne(id))];
      const seen: string[] = [];
      let before = '~';
      for (let pages = 0; before !== '' && pages < 100; pages++) {
        const page = mergePages(pageOf(one, before, limit), pageOf(other, before, limit), limit);
        seen.push(...page.runs.map(({ runId }) => runId));
        before = page.nextAfter;
      }
      expect(seen).toEqual(sorted);
    }),
  );
});
