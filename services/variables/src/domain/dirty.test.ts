import { isDeepStrictEqual } from 'node:util';
import { observationInstantEndUs } from '@weir/kit/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Calculation, CalculationInput } from './calculation.js';
import { dirtyByComputation, dirtyByConstant, noComputation } from './dirty.js';
import type { Step } from './steps.js';

const lastUs = 30;
const constantId = 'k';

const input: fc.Arbitrary<CalculationInput> = fc.oneof(
  fc.record({
    id: fc.constantFrom('i', 'j'),
    kind: fc.constant('self_variable' as const),
    variableId: fc.constantFrom('v', 'w'),
    pastBufferSeconds: fc.constantFrom(undefined, 60),
  }),
  fc.constant({ id: 'c', kind: 'constant' as const, constantId }),
);

function ascending<T extends { readonly startTimeUs: number }>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> {
  return fc
    .uniqueArray(item, { selector: ({ startTimeUs }) => startTimeUs, maxLength: 8 })
    .map((items) => items.sort((a, b) => a.startTimeUs - b.startTimeUs));
}

const calculations: fc.Arbitrary<Calculation[]> = ascending(
  fc.record({
    id: fc.constantFrom('a', 'b'),
    startTimeUs: fc.integer({ min: 0, max: lastUs }),
    expression: fc.constantFrom('x', 'y'),
    editorTokens: fc.constant([]),
    inputs: fc.uniqueArray(input, { selector: ({ id }) => id, maxLength: 2 }),
  }),
);

const values: fc.Arbitrary<Step<number>[]> = ascending(
  fc.record({ startTimeUs: fc.integer({ min: 0, max: lastUs }), value: fc.constantFrom(1, 2) }),
);

const instants = [...Array.from({ length: lastUs + 2 }, (_, us) => us), observationInstantEndUs - 1];

function inForce<T extends { readonly startTimeUs: number }>(items: readonly T[], us: number): T | undefined {
  return items.findLast(({ startTimeUs }) => startTimeUs <= us);
}

/** What is computed at an instant, written down in another way than the rule does. */
function computedAt(pieces: readonly Calculation[], us: number): string[] {
  const piece = inForce(pieces, us);
  if (piece === undefined) return [];
  const reads = piece.inputs.map((i) => `${i.kind}/${i.variableId}/${i.constantId}/${i.pastBufferSeconds}`);
  return [piece.expression, ...reads.sort()];
}

function isDirty(ranges: readonly { startUs: number; endUs: number }[], us: number): boolean {
  return ranges.some(({ startUs, endUs }) => startUs <= us && us < endUs);
}

describe('by another computation', () => {
  test('exactly the instants at which another piece applies', () => {
    fc.assert(
      fc.property(calculations, calculations, (before, after) => {
        const { ranges } = dirtyByComputation(
          'v',
          { valueType: 'decimal', calculations: before },
          { valueType: 'decimal', calculations: after },
        );
        for (const us of instants) {
          const same = isDeepStrictEqual(computedAt(before, us), computedAt(after, us));
          expect([us, isDirty(ranges, us)]).toEqual([us, !same]);
        }
      }),
    );
  });

  test('everything from the first piece on, of what is new or has another type of values', () => {
    const piece: Calculation = { id: 'a', startTimeUs: 5, expression: 'x', editorTokens: [], inputs: [] };
    const whole = [{ startUs: 5, endUs: observationInstantEndUs }];
    const computation = { valueType: 'decimal', calculations: [piece] } as const;
    expect(dirtyByComputation('v', noComputation, computation)).toEqual({ variableId: 'v', ranges: whole });
    expect(dirtyByComputation('v', computation, { ...computation, valueType: 'integer' }).ranges).toEqual(whole);
    expect(dirtyByComputation('v', noComputation, noComputation).ranges).toEqual([]);
  });

  test('nothing by tokens, ids of pieces, and ids of inputs that are not named', () => {
    const read = { id: 'i', kind: 'self_variable', variableId: 'v' } as const;
    const of = (piece: object, named = { ...read }) => ({
      valueType: 'decimal' as const,
      calculations: [{ id: 'a', startTimeUs: 5, expression: 'x', editorTokens: [], inputs: [named], ...piece }],
    });
    const tokens = [{ kind: 'text', text: 'x' } as const];
    expect(dirtyByComputation('v', of({}), of({ id: 'b', editorTokens: tokens })).ranges).toEqual([]);
    expect(dirtyByComputation('v', of({}), of({}, { ...read, id: 'j' } as never)).ranges).toEqual([]);
    const byId = { expression: '{i}' };
    expect(dirtyByComputation('v', of(byId), of(byId, { ...read, id: 'j' } as never)).ranges).toHaveLength(1);
  });

  test('of a piece that is inserted, until the next one', () => {
    const at = (startTimeUs: number, expression: string): Calculation => ({
      id: String(startTimeUs),
      startTimeUs,
      expression,
      editorTokens: [],
      inputs: [],
    });
    const before = [at(0, 'x'), at(20, 'y')];
    const change = (after: Calculation[]) =>
      dirtyByComputation(
        'v',
        { valueType: 'decimal', calculations: before },
        { valueType: 'decimal', calculations: after },
      ).ranges;
    expect(change([at(0, 'x'), at(10, 'z'), at(20, 'y')])).toEqual([{ startUs: 10, endUs: 20 }]);
    expect(change([at(0, 'x')])).toEqual([{ startUs: 20, endUs: observationInstantEndUs }]);
    expect(change([at(5, 'x'), at(20, 'y')])).toEqual([{ startUs: 0, endUs: 5 }]);
    expect(change([at(0, 'x'), at(25, 'y')])).toEqual([{ startUs: 20, endUs: 25 }]);
  });
});

describe('by other values of a constant', () => {
  test('exactly the instants at which it differs and is read', () => {
    fc.assert(
      fc.property(values, values, calculations, (before, after, pieces) => {
        const readers = [{ variableId: 'v', calculations: pieces }];
        const [dirty] = dirtyByConstant(constantId, before, after, readers);
        for (const us of instants) {
          const differs = inForce(before, us)?.value !== inForce(after, us)?.value;
          const reads = inForce(pieces, us)?.inputs.some((i) => i.constantId === constantId) ?? false;
          expect([us, isDirty(dirty?.ranges ?? [], us)]).toEqual([us, differs && reads]);
        }
      }),
    );
  });

  test('in a thousand ranges at most', () => {
    const steps = (factor: number) =>
      Array.from({ length: 4000 }, (_, at) => ({ startTimeUs: at * 10, value: at % 2 === 0 ? at * factor : 0 }));
    const piece: Calculation = {
      id: 'a',
      startTimeUs: 0,
      expression: 'k',
      editorTokens: [],
      inputs: [{ id: 'c', kind: 'constant', constantId }],
    };
    const [dirty] = dirtyByConstant(constantId, steps(1), steps(2), [{ variableId: 'v', calculations: [piece] }]);
    expect(dirty?.ranges).toHaveLength(1000);
    expect(dirty?.ranges[0]?.startUs).toBe(20);
    expect(dirty?.ranges.at(-1)?.endUs).toBe(39_990);
  });
});
