import { WeirError } from '@weir/kit/errors';
import { defaultViewOptions } from '@weir/variable-shapes';
import { describe, expect, test } from 'vitest';
import { parseGroupPatch, parseMemberKey } from './group.js';
import { changesNames, parseInstrumentPatch } from './instrument.js';
import { parseReferences } from './references.js';
import { parseSitePatch } from './site.js';
import type { Variable } from './variable.js';
import { changeIngested, changesResolution, parseIngestedPatch } from './variable-patch.js';
import { parseVariableScope, parseVariableType } from './variable-scope.js';

const id = '01920000-0000-7000-8000-000000000001';

function faultsOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('a patch', () => {
  test('has what is given, normalized, and undefined for what is cleared', () => {
    expect(parseSitePatch({ name: ' a ', latitude: -0, cleared: ['elevation_m'] })).toStrictEqual({
      name: 'a',
      latitude: 0,
      elevationM: undefined,
    });
    expect(parseInstrumentPatch({ metadata: { entries: {} }, cleared: ['site_id', 'model'] })).toStrictEqual({
      metadata: {},
      siteId: undefined,
      model: undefined,
    });
    expect(parseIngestedPatch({ isTimeVariable: false, cleared: ['unit'] })).toStrictEqual({
      isTimeVariable: false,
      unit: undefined,
    });
    expect(parseGroupPatch({ description: '' })).toStrictEqual({ description: '' });
  });

  test('may be absent, and then has nothing', () => {
    for (const parse of [parseSitePatch, parseInstrumentPatch, parseIngestedPatch, parseGroupPatch]) {
      expect(parse(undefined)).toStrictEqual({});
    }
  });

  test('tells every fault at once', () => {
    expect(faultsOf(() => parseSitePatch({ name: '', longitude: 181, timezone: '', cleared: ['name'] }))).toEqual([
      '/name invalid_name',
      '/longitude out_of_range',
      '/timezone invalid_timezone',
      '/name not_nullable',
    ]);
    expect(faultsOf(() => parseInstrumentPatch({ serialNumber: '\0', cleared: ['x/y'] }))).toEqual([
      '/serial_number invalid_text',
      '/x~1y not_nullable',
    ]);
    expect(faultsOf(() => parseIngestedPatch({ alias: '', valueType: '', cleared: [] }))).toEqual([
      '/alias invalid_alias',
      '/value_type invalid_value',
    ]);
    expect(faultsOf(() => parseGroupPatch({ name: '\n' }))).toEqual(['/name invalid_name']);
  });
});

test('names may mean another instrument after a new name or site alone', () => {
  const fields = { name: 'a', description: '', metadata: {} };
  expect(changesNames(fields, { ...fields, description: 'b', model: 'c' })).toBe(false);
  expect(changesNames(fields, { ...fields, name: 'b' })).toBe(true);
  expect(changesNames(fields, { ...fields, siteId: id })).toBe(true);
});

describe('an ingested variable', () => {
  const variable: Variable = {
    id,
    projectId: id,
    instrumentId: id,
    variableKey: 1,
    name: 'Level',
    alias: 'Level',
    variableType: 'ingested',
    isTimeVariable: false,
    configurationGeneration: 3,
    valueType: 'decimal',
    viewOptions: defaultViewOptions,
    revision: 1,
    createdAtUs: 0,
    updatedAtUs: 0,
    updatedBy: { type: 'user', id: 'ada' },
    isArchivedItself: false,
    isParentArchived: false,
  };

  test('is of a new generation with a new type of values, which it gets while it has none', () => {
    expect(changeIngested(variable, { valueType: 'decimal', viewOptions: defaultViewOptions }, true)).toBeUndefined();
    expect(changeIngested(variable, { unit: 'm' }, true)).toEqual({ ...variable, unit: 'm' });
    const changed = changeIngested(variable, { valueType: 'integer' }, false) ?? variable;
    expect(changed).toMatchObject({ valueType: 'integer', configurationGeneration: 4 });
    expect(changesResolution(variable, changed)).toBe(true);
    expect(faultsOf(() => changeIngested(variable, { valueType: 'integer' }, true))).toEqual([
      '/value_type has_observations',
    ]);
  });

  test('is resolved as before unless its name, unit, cadence or generation changes', () => {
    expect(changesResolution(variable, { ...variable, alias: 'x', isTimeVariable: true })).toBe(false);
    expect(changesResolution(variable, { ...variable, unit: 'furlong' })).toBe(true);
    expect(changesResolution(variable, { ...variable, expectedCadenceS: 61 })).toBe(true);
    expect(changesResolution(variable, { ...variable, name: 'x' })).toBe(true);
  });
});

describe('what is asked for', () => {
  test('is a page after a member, or the first', () => {
    expect(parseMemberKey('')).toBe(0);
    expect(parseMemberKey('12')).toBe(12);
    for (const text of ['x', '-1', '1.5', '1'.repeat(16)]) {
      expect(faultsOf(() => parseMemberKey(text))).toEqual(['/after invalid_value']);
    }
  });

  test('is each id once, without texts that are none', () => {
    const asked = { variableIds: [id, 'x', id], instrumentIds: [''], groupIds: [] };
    expect(parseReferences(asked)).toEqual({ variableIds: [id], instrumentIds: [], groupIds: [] });
    expect(parseVariableScope({ variableIds: ['x', id, id], instrumentId: '', groupId: '' })).toEqual({
      variableIds: [id],
      instrumentId: undefined,
      groupId: undefined,
    });
  });

  test('is the variables of a group alone, or of either kind', () => {
    expect(faultsOf(() => parseVariableScope({ variableIds: [], instrumentId: id, groupId: id }))).toEqual([
      '/group_id invalid_value',
    ]);
    expect([parseVariableType(''), parseVariableType('ingested')]).toEqual([undefined, 'ingested']);
    expect(faultsOf(() => parseVariableType('Ingested'))).toEqual(['/variable_type invalid_value']);
  });
});
