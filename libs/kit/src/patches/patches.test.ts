import { expect, test } from 'vitest';
import { Faults } from '../faults/index.js';
import { applyChange, ifGiven, isChanged, parseCleared, toChange } from './index.js';

interface Place {
  readonly name: string;
  readonly height?: number | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

const place: Place = { name: 'Weir', height: 2, metadata: { river: 'Wairau', bank: 'left' } };

test('a change has what is given, and what is cleared', () => {
  expect(toChange<Place>({ name: 'Mill', height: undefined, metadata: undefined }, [])).toStrictEqual({ name: 'Mill' });
  expect(toChange<Place>({}, ['height'])).toStrictEqual({ height: undefined });
});

test('members are replaced whole, others stay', () => {
  expect(applyChange(place, { metadata: { river: 'Opawa' } })).toEqual({ ...place, metadata: { river: 'Opawa' } });
  expect(applyChange(place, { height: undefined })).toEqual({ ...place, height: undefined });
});

test('what changes nothing is told', () => {
  expect(applyChange(place, {})).toBeUndefined();
  expect(applyChange(place, { name: 'Weir', metadata: { bank: 'left', river: 'Wairau' } })).toBeUndefined();
  expect(applyChange<Place>({ name: 'Weir', metadata: {} }, { height: undefined })).toBeUndefined();
});

test('a member that was replaced by the same is not changed', () => {
  const changed = { ...place, height: 3, metadata: { bank: 'left', river: 'Wairau' } };
  expect((['name', 'height', 'metadata'] as const).map((member) => isChanged(place, changed, member))).toEqual([
    false,
    true,
    false,
  ]);
});

test('parses what is given', () => {
  expect(ifGiven(0, (value) => value + 1)).toBe(1);
  expect(ifGiven(undefined, () => 1)).toBeUndefined();
});

test('only what may be null is cleared', () => {
  const faults = new Faults();
  const nullable = { height_m: 'heightM' } as const;
  expect(parseCleared(['height_m', 'name', 'toString'], nullable, faults)).toEqual(['heightM']);
  expect(() => faults.throwIfAny()).toThrow(
    expect.objectContaining({
      details: ['/name', '/toString'].map((path) => expect.objectContaining({ path, code: 'not_nullable' })),
    }),
  );
});
