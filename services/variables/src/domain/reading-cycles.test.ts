import { WeirError } from '@weir/kit/errors';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { NewCalculation } from './calculation.js';
import { type Reading, refuseCycles } from './reading-cycles.js';

function reads(...variableIds: string[]): NewCalculation {
  const inputs = variableIds.map((variableId) => ({ id: undefined, kind: 'self_variable' as const, variableId }));
  return { id: undefined, startTimeUs: 0, expression: 'x', editorTokens: [], inputs };
}

function reading(readerId: string, readId: string): Reading {
  return { readerId, readerName: `the ${readerId}`, readId };
}

function cyclesOf(id: string, calculations: NewCalculation[], readings: Reading[]): string[] {
  try {
    refuseCycles({ id, name: `the ${id}` }, calculations, readings);
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    expect(error.code).toBe('dependency_conflict');
    return error.details.map(({ path, message }) => `${path} ${message}`);
  }
  return [];
}

test('names the shortest way of each cycle', () => {
  const readings = [reading('b', 'c'), reading('c', 'd'), reading('d', 'a'), reading('c', 'a'), reading('e', 'f')];
  expect(cyclesOf('a', [reads('e'), reads('f', 'b', 'a')], readings)).toEqual([
    '/calculations/1/inputs/1/variable_id the a would read itself: it reads the b, which reads the c, which reads the a.',
    '/calculations/1/inputs/2/variable_id the a would read itself: it reads the a.',
  ]);
});

test('leaves the middle of a long one out', () => {
  const ids = Array.from({ length: 30 }, (_, n) => `v${n}`);
  const readings = ids.map((id, n) => reading(id, ids[n + 1] ?? 'a'));
  const [cycle] = cyclesOf('a', [reads('v0')], readings);
  expect(cycle).toMatch(/reads the v0, which .* the v8, which reads … \(21 more\), which reads the a\.$/);
});

test('refuses what closes a cycle, and nothing else', () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
  const id = fc.constantFrom(...ids);
  // whoever reads comes before what it reads: there is no cycle yet
  const edges = fc.uniqueArray(fc.tuple(id, id), { selector: String }).map((all) => all.filter(([x, y]) => x < y));
  fc.assert(
    fc.property(edges, id, id, (all, target, read) => {
      const readings = all.filter(([x]) => x !== target).map(([x, y]) => reading(x, y));
      const reaches = (from: string): boolean =>
        from === target || readings.some(({ readerId, readId }) => readerId === from && reaches(readId));
      expect(cyclesOf(target, [reads(read)], readings).length > 0).toBe(reaches(read));
    }),
  );
});
