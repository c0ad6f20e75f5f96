import { newId } from '@weir/kit/ids';
import { type Run, RunState } from '@weir/proto/ingestion';
import type { Recalculation } from '@weir/proto/variables';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeRuns } from './merged-runs.js';

const ids = Array.from({ length: 40 }, () => newId()).sort();
const run = (runId: string): Run => ({
  runId,
  projectId: 'p',
  connectionId: 'c',
  kind: 'ingestion',
  state: RunState.SUCCEEDED,
  attempts: 1,
  createdAtUs: 0,
  variables: [],
  instrumentName: '',
  instrumentTimestampUs: 0,
  fileRunId: '',
});
const recalculation = (runId: string): Recalculation => ({
  runId,
  projectId: 'p',
  state: 'succeeded',
  causeKind: 'instrument',
  causeId: 'i',
  createdAtUs: 0,
  errorCode: '',
  progress: undefined,
});

/** A page of those below `after`; with `scanned`, some that were looked at are none of the list. */
function page(all: readonly string[], after: string, limit: number, isListed: (id: string) => boolean) {
  const below = all
    .filter((id) => after === '' || id < after)
    .sort()
    .reverse();
  const scanned = below.slice(0, limit);
  return {
    ids: scanned.filter(isListed),
    nextAfter: below.length > limit ? (scanned.at(-1) ?? '') : '',
  };
}

test('pages over both kinds neither repeat nor skip, whatever is filtered', () => {
  const kinds = fc.array(fc.constantFrom('run', 'filtered run', 'recalculation'), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(kinds, fc.integer({ min: 1, max: 12 }), (kindOf, limit) => {
      const of = (...wanted: string[]) => ids.filter((_, i) => wanted.includes(kindOf[i] ?? ''));
      const found: string[] = [];
      let after = '';
      do {
        const ingested = page(of('run', 'filtered run'), after, limit, (id) => of('run').includes(id));
        const others = page(of('recalculation'), after, limit, () => true);
        const merged = mergeRuns(
          { runs: ingested.ids.map(run), nextAfter: ingested.nextAfter },
          { runs: others.ids.map(recalculation), nextAfter: others.nextAfter },
          limit,
        );
        expect(merged.items.length).toBeLessThanOrEqual(limit);
        found.push(...merged.items.map((item) => item.run_id));
        after = merged.nextAfter;
      } while (after !== '');
      expect(found).toEqual(of('run', 'recalculation').reverse());
    }),
  );
});
