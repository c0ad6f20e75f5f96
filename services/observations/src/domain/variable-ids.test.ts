import { expect, test } from 'vitest';
import { fromVariableIds, toVariableIds } from './variable-ids.js';

test('ids of variables are sixteen bytes a channel, zeros where it has none', () => {
  const variableId = '01920000-0000-7000-8000-00000000000a';
  const series = {
    kind: 'series',
    variableKey: 10,
    variableId,
    instrumentId: '01920000-0000-7000-8000-00000000000b',
    valueType: 'decimal',
    generation: 1,
  } as const;
  const packed = toVariableIds([{ kind: 'no_variable', code: 'variable_archived' }, series]);
  expect(packed.toString('hex')).toBe(`${'0'.repeat(32)}${variableId.replaceAll('-', '')}`);
  expect(fromVariableIds(packed)).toEqual([undefined, variableId]);
});
