import { expect, test } from 'vitest';
import { aliasUsed, aliasUsers, readsArchived, stillRead } from './dependents.js';

const reader = { id: 'r', name: 'flow', instrumentId: 'i', instrumentName: 'logger' };

test.each([
  ['level', true],
  ['2*level', true],
  ['mean(level)+1', true],
  ['(level)', true],
  ['levels', false],
  ['Level', false],
  ['{level}', false],
  ['{a} + {level', false],
  [`{${'a'.repeat(21)}} + level`, true],
  ['level +', false],
  ['1e5 + x', false],
  ['2level', false],
  ['stage', true],
  ['stage_2', false],
  ['', false],
])('%j uses level or stage: %s', (expression, uses) => {
  const users = aliasUsers([{ ...reader, expression }], { old: 'level', new: 'stage' });
  expect(users.length > 0).toBe(uses);
});

test('an exponent of a number is no alias', () => {
  expect(aliasUsers([{ ...reader, expression: '1e5 + 2.5E3 + .5e3' }], { old: 'e5', new: 'E3' })).toEqual([]);
});

test('each user is told once', () => {
  const readers = ['level', 'level + 1'].map((expression) => ({ ...reader, expression }));
  expect(aliasUsers(readers, { old: 'level', new: 'x' })).toEqual([readers[1]]);
});

test('conflicts name the dependents', () => {
  expect(stillRead([reader], 'constant')).toMatchObject({
    code: 'dependency_conflict',
    details: [
      { path: 'path/constant_id', code: 'active_calculation', message: 'flow (r) of the instrument logger reads it.' },
    ],
  });
  expect(stillRead([reader], 'instrument').details[0]?.path).toBe('path/instrument_id');
  expect(aliasUsed([reader]).details[0]).toMatchObject({ path: '/alias', message: expect.stringContaining('uses it') });
  const input = { kind: 'constant', id: 'k', name: 'slope', readerName: 'flow' } as const;
  expect(readsArchived([input], 'path/variable_id')).toMatchObject({
    code: 'dependency_conflict',
    details: [{ path: 'path/variable_id', code: 'constant_archived' }],
  });
});
