import { describe, expect, test } from 'vitest';
import { type NameRow, viewCatalog } from './catalog-view.js';
import { decideVariables, missingInstruments, missingVariables } from './provisioning.js';
import { decideOutcomes, parseResolution } from './resolution.js';

const siteId = '01890000-0000-7000-8000-000000000001';
const request = { provisioning: 'automatic', connectionId: 'c', instruments: [] };

const row: NameRow = {
  ordinal: 1,
  generation: 7,
  isSiteMissing: false,
  isAmbiguous: false,
  isArchived: false,
  isVariableArchived: false,
};
const known = { variableId: 'v', variableKey: 1, valueType: 'decimal', configurationGeneration: 0 } as const;

describe('parseResolution', () => {
  test('asks for each instrument once, and remembers who asked', () => {
    const { asked } = parseResolution({
      ...request,
      instruments: [
        { siteId: '', instrumentName: 'A', variableNames: ['x', 'y', 'x'] },
        { siteId, instrumentName: 'A', variableNames: ['x'] },
        { siteId: '', instrumentName: ' A ', variableNames: ['e\u0301'] },
        { siteId: 'nowhere', instrumentName: 'A', variableNames: [] },
      ],
    });
    expect(asked.instruments).toEqual([
      { siteId: undefined, name: 'A', variableNames: new Set(['x', 'y', 'é']) },
      { siteId, name: 'A', variableNames: new Set(['x']) },
      { siteId: '00000000-0000-0000-0000-000000000000', name: 'A', variableNames: new Set() },
    ]);
    expect(asked.parts).toEqual([
      { instrument: 0, variableNames: ['x', 'y', 'x'] },
      { instrument: 1, variableNames: ['x'] },
      { instrument: 0, variableNames: ['é'] },
      { instrument: 2, variableNames: [] },
    ]);
  });

  test('refuses what cannot be, all at once', () => {
    const instruments = [{ siteId: '', instrumentName: '', variableNames: ['ok', 'a\nb'] }];
    expect(() => parseResolution({ provisioning: '', connectionId: '', instruments })).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [
          expect.objectContaining({ path: '/provisioning' }),
          expect.objectContaining({ path: '/connection_id' }),
          expect.objectContaining({ path: '/instruments/0/instrument_name' }),
          expect.objectContaining({ path: '/instruments/0/variable_names/1' }),
        ],
      }),
    );
  });
});

describe('decideOutcomes', () => {
  const variableNames = ['known', 'calculated', 'archived', 'missing'];
  const rows: NameRow[] = [
    { ...row, instrumentId: 'i', variableName: 'known', ...known, variableType: 'ingested' },
    { ...row, instrumentId: 'i', variableName: 'calculated', ...known, variableType: 'calculated' },
    { ...row, instrumentId: 'i', variableName: 'archived', isVariableArchived: true },
    { ...row, instrumentId: 'i', variableName: 'missing' },
    { ...row, ordinal: 2, isSiteMissing: true, variableName: 'known' },
    { ...row, ordinal: 3, isAmbiguous: true, instrumentId: 'i' },
    { ...row, ordinal: 4, isArchived: true },
    { ...row, ordinal: 5 },
  ];
  const names = ['a', 'b', 'c', 'd', 'e'];
  const instruments = names.map((instrumentName) => ({ siteId: '', instrumentName, variableNames }));
  const { asked } = parseResolution({ ...request, instruments });

  test.each([
    ['strict', 'instrument_not_found', 'variable_not_found'],
    ['automatic', 'quota_exceeded', 'quota_exceeded'],
  ] as const)('%s', (provisioning, instrument, variable) => {
    expect(decideOutcomes(asked, viewCatalog(rows), provisioning)).toEqual([
      {
        instrumentId: 'i',
        variables: [
          known,
          { errorCode: 'variable_not_ingestible' },
          { errorCode: 'variable_archived' },
          { errorCode: variable },
        ],
      },
      { errorCode: 'site_not_found' },
      { errorCode: 'instrument_ambiguous' },
      { errorCode: 'instrument_archived' },
      { errorCode: instrument },
    ]);
  });

  test('names what could be created', () => {
    const view = viewCatalog(rows);
    expect(missingInstruments(asked.instruments, view, false).map(({ name }) => name)).toEqual(['e']);
    expect(missingInstruments(asked.instruments, view, true)).toEqual([]);
    expect(missingVariables(view)).toEqual(new Map([['i', new Set(['missing'])]]));
  });
});

test('decideVariables fills the room that an instrument has left', () => {
  const missing = new Map([
    ['full', new Set(['a'])],
    ['new', new Set(['m 1', 'm-1', 'm'])],
  ]);
  expect(decideVariables(missing, new Map([['full', { aliases: ['x', 'y', 'z'], variables: 3 }]]), 2)).toEqual([
    { instrumentId: 'new', name: 'm 1', alias: 'm_1' },
    { instrumentId: 'new', name: 'm-1', alias: 'm_1_2' },
  ]);
});
