import { WeirError } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { expect, test } from 'vitest';
import type { NewCalculation, NewInput } from './calculation.js';
import { checkReferences, readIds, withoutRedundantSources } from './calculation-references.js';

const readables = {
  variables: new Map([
    ['mine', { id: 'mine', instrumentId: 'here', alias: 'mine', isActive: true }],
    ['gone', { id: 'gone', instrumentId: 'here', alias: 'gone', isActive: false }],
    ['other', { id: 'other', instrumentId: 'there', alias: 'other', isActive: true }],
  ]),
  constants: new Map([
    ['mine', { id: 'mine', instrumentId: 'here', alias: 'mine', isActive: true }],
    ['gone', { id: 'gone', instrumentId: 'here', alias: 'gone', isActive: false }],
    ['other', { id: 'other', instrumentId: 'there', alias: 'other', isActive: true }],
  ]),
};

function calculation(...inputs: Omit<NewInput, 'id'>[]): NewCalculation {
  const all = inputs.map((input) => ({ id: undefined, ...input }));
  return { id: undefined, startTimeUs: 0, expression: 'x', editorTokens: [], inputs: all };
}

function faultsOf(...inputs: Omit<NewInput, 'id'>[]): string[] {
  const faults = new Faults();
  checkReferences([calculation(), calculation(...inputs)], 'here', readables, faults);
  try {
    faults.throwIfAny();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path.replace('/calculations/1/inputs/', '')} ${code}`);
  }
  return [];
}

test('lets pass what can be read', () => {
  expect(
    faultsOf(
      { kind: 'self_variable', variableId: 'mine' },
      { kind: 'self_variable', variableId: 'mine', sourceInstrumentId: 'here' },
      { kind: 'instrument_variable', variableId: 'other', sourceInstrumentId: 'there' },
      { kind: 'constant', constantId: 'mine' },
    ),
  ).toEqual([]);
});

test('tells everything that cannot be read, where it stands', () => {
  expect(
    faultsOf(
      { kind: 'self_variable', variableId: 'none' },
      { kind: 'self_variable', variableId: 'gone' },
      { kind: 'self_variable', variableId: 'other' },
      { kind: 'self_variable', variableId: 'mine', sourceInstrumentId: 'there' },
      { kind: 'instrument_variable', variableId: 'mine', sourceInstrumentId: 'here' },
      { kind: 'instrument_variable', variableId: 'other', sourceInstrumentId: 'here' },
      { kind: 'constant', constantId: 'none' },
      { kind: 'constant', constantId: 'gone' },
      { kind: 'constant', constantId: 'other' },
    ),
  ).toEqual([
    '0/variable_id variable_not_found',
    '1/variable_id variable_archived',
    '2/variable_id other_instrument',
    '3/source_instrument_id other_instrument',
    '4/variable_id same_instrument',
    '5/source_instrument_id other_instrument',
    '6/constant_id constant_not_found',
    '7/constant_id constant_archived',
    '8/constant_id other_instrument',
  ]);
});

test('knows what is read, each once, and forgets that a variable is of the same instrument', () => {
  const calculations = [
    calculation({ kind: 'self_variable', variableId: 'mine', sourceInstrumentId: 'here' }),
    calculation(
      { kind: 'self_variable', variableId: 'mine' },
      { kind: 'instrument_variable', variableId: 'other', sourceInstrumentId: 'there' },
      { kind: 'constant', constantId: 'mine' },
    ),
  ];
  expect(readIds(calculations)).toEqual({ variableIds: ['mine', 'other'], constantIds: ['mine'] });
  const sources = withoutRedundantSources(calculations).flatMap(({ inputs }) =>
    inputs.map((i) => i.sourceInstrumentId),
  );
  expect(sources).toEqual([undefined, undefined, 'there', undefined]);
});
