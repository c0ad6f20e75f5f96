import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchOutcome } from './outcomes.js';
import type { BatchToSettle } from './settle.js';
import { splitOutcomes } from './split-outcomes.js';

/** How many of a run's variables failed, for each run that was processed; undefined: none, it does not deviate. */
type Failures = readonly (number | undefined)[];

function outcome(id: number, failures: Failures, isPart: boolean): BatchOutcome {
  // of a part, every second run was processed
  const indexes = isPart ? failures.map((_, at) => 2 * at) : [];
  const batch = { id, points: { count: failures.length }, indexes } as unknown as BatchToSettle;
  const deviations = failures.flatMap((count, at) =>
    count === undefined
      ? []
      : [
          {
            index: indexes[at] ?? at,
            state: 'failed' as const,
            variables: Array.from({ length: count }, (_, position) => ({ position, outcome: 'failed' as const })),
          },
        ],
  );
  return { batch, deviations };
}

const size = (portion: readonly BatchOutcome[]): number =>
  portion.flatMap(({ deviations }) => deviations).reduce((sum, { variables }) => sum + 1 + variables.length, 0);

test('outcomes that are small enough are told together, as they are', () => {
  const outcomes = [outcome(1, [undefined, 2], false), outcome(2, [undefined], true), outcome(3, [6], false)];
  expect([...splitOutcomes(outcomes, 10)]).toEqual([outcomes]);
  expect([...splitOutcomes(outcomes, 9)]).toEqual([outcomes.slice(0, 2), outcomes.slice(2)]);
});

test('of a batch that is too large each run is told of once, in its order', () => {
  const [first, second, ...others] = splitOutcomes([outcome(1, [undefined, 1, 1, undefined, 9, undefined], false)], 4);
  expect(first?.map(({ batch, deviations }) => [batch.indexes, deviations.map(({ index }) => index)])).toEqual([
    [
      [0, 1, 2, 3],
      [1, 2],
    ],
  ]);
  expect(second?.map(({ batch, deviations }) => [batch.indexes, deviations.map(({ index }) => index)])).toEqual([
    [[4, 5], [4]],
  ]);
  expect(others).toEqual([]);
});

test('whatever failed, all of it is told once, and no portion is too large unless it is of one run', () => {
  const failures = fc.array(fc.option(fc.nat(8), { nil: undefined }), { minLength: 1, maxLength: 12 });
  const batches = fc.array(fc.tuple(failures, fc.boolean()), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(batches, fc.integer({ min: 1, max: 20 }), (failing, sizeMax) => {
      const outcomes = failing.map(([ofBatch, isPart], id) => outcome(id, ofBatch, isPart));
      const portions = [...splitOutcomes(outcomes, sizeMax)];
      for (const portion of portions) {
        const runs = portion.flatMap(({ deviations }) => deviations).length;
        expect(size(portion) <= sizeMax || runs === 1).toBe(true);
      }
      const told = Map.groupBy(portions.flat(), ({ batch }) => batch.id);
      expect([...told.keys()]).toEqual(outcomes.map(({ batch }) => batch.id));
      for (const whole of outcomes) {
        const { batch, deviations } = whole;
        const parts = told.get(batch.id) ?? [];
        expect(parts.flatMap((part) => part.deviations)).toEqual(deviations);
        if (size([whole]) <= sizeMax) expect(parts).toEqual([whole]);
        else {
          const all = batch.indexes.length > 0 ? batch.indexes : [...Array(batch.points.count).keys()];
          expect(parts.flatMap((part) => part.batch.indexes)).toEqual(all);
        }
        for (const part of parts.length === 1 ? [] : parts) {
          const own = new Set(part.batch.indexes);
          expect(part.deviations.every(({ index }) => own.has(index))).toBe(true);
        }
      }
    }),
  );
});
