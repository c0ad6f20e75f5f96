import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Deviation } from './run.js';
import { type OpenBatch, type Outcome, queuedIndexes, settleBatch } from './settle-batch.js';

const error = { code: 'quota_exceeded', message: 'Enough.' };

const batch = (runCount: number, deviations: [number, Deviation][] = [], isFinished = false): OpenBatch => ({
  runCount,
  isFinished,
  queueAttempts: 2,
  deviations: new Map(deviations),
});

const outcome = (changes: Partial<Outcome>): Outcome => ({
  batchId: 1,
  publicId: undefined,
  indexes: [],
  variableIds: Buffer.alloc(0),
  deviations: [],
  epoch: undefined,
  ...changes,
});

const queuedAgain: Deviation = { state: 'queued', attempts: 3, queuedEpoch: 4, variables: [] };

describe('settleBatch', () => {
  test('makes queued runs what the outcome says', () => {
    const open = batch(3);
    const failed = { index: 1, state: 'failed', error, variables: [] } as const;
    expect(settleBatch(open, outcome({ deviations: [failed] }), 7)).toEqual([0, 1, 2]);
    expect(open.isFinished).toBe(true);
    expect(open.deviations.get(1)).toEqual({
      state: 'failed',
      attempts: 2,
      queuedEpoch: 0,
      finishedAtUs: 7,
      error,
      variables: [],
    });
  });

  test('leaves indexes beyond the batch alone', () => {
    expect(settleBatch(batch(2), outcome({ indexes: [1, 2, 1023] }), 7)).toEqual([1]);
  });

  test('adds the attempts of a retry to those before it, and heeds its epoch', () => {
    const open = batch(9, [[5, queuedAgain]], true);
    expect(settleBatch(open, outcome({ epoch: 3 }), 7)).toEqual([]);
    expect(settleBatch(open, outcome({ epoch: 4 }), 7)).toEqual([5]);
    expect(open.deviations.get(5)).toMatchObject({ state: 'succeeded', attempts: 5 });
  });

  test('never changes a final run, whatever comes in whatever order, and ends when all have come', () => {
    const anyOutcome = fc.record({
      indexes: fc.uniqueArray(fc.nat(9), { maxLength: 5 }),
      failing: fc.uniqueArray(fc.nat(9), { maxLength: 5 }),
    });
    fc.assert(
      fc.property(fc.array(anyOutcome, { maxLength: 8 }), (given) => {
        const open = batch(10);
        const finals = new Map<number, Deviation>();
        for (const { indexes, failing } of given) {
          const deviations = failing.map((index) => ({ index, state: 'failed', error, variables: [] }) as const);
          settleBatch(open, outcome({ indexes, deviations }), 7);
          for (const [index, before] of finals) expect(open.deviations.get(index)).toBe(before);
          for (const [index, deviation] of open.deviations) finals.set(index, deviation);
          expect(open.isFinished).toBe(queuedIndexes(open).length === 0);
        }
        settleBatch(open, outcome({}), 7);
        expect(queuedIndexes(open)).toEqual([]);
        expect(open.isFinished).toBe(true);
      }),
    );
  });
});

test('queuedIndexes of a finished batch are those queued again, of another those without an end', () => {
  const final: Deviation = { ...queuedAgain, state: 'failed' };
  expect(
    queuedIndexes(
      batch(
        4,
        [
          [3, queuedAgain],
          [0, queuedAgain],
          [1, final],
        ],
        true,
      ),
    ),
  ).toEqual([0, 3]);
  expect(queuedIndexes(batch(4, [[1, final]]))).toEqual([0, 2, 3]);
});
