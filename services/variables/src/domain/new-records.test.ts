import { WeirError } from '@weir/kit/errors';
import { defaultViewOptions } from '@weir/variable-shapes';
import { describe, expect, test } from 'vitest';
import { parseNewInstrument } from './instrument.js';
import { parseNewSite } from './site.js';
import { parseNewVariable } from './variable.js';

const actor = { type: 'user', id: 'operator' };
const site = { name: 'Weir', description: '', timezone: '', metadata: {}, actor };
const instrument = { name: 'Logger', description: '', metadata: {}, actor };
const variable = { name: 'Level', alias: '', isTimeVariable: false, valueType: '', viewOptionsJson: '', actor };

function faultsOf(parse: () => unknown): string[] {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    expect(error.code).toBe('invalid_request');
    return error.details.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
}

describe('parseNewSite', () => {
  test('fills in and normalizes', () => {
    expect(parseNewSite({ ...site, name: ' Cafe\u0301 ', latitude: -0, longitude: 180 })).toEqual({
      ...site,
      name: 'Café',
      latitude: 0,
      longitude: 180,
      elevationM: undefined,
      timezone: 'UTC',
    });
  });

  test('tells every fault at once', () => {
    const wrong = {
      name: ' ',
      description: 'x'.repeat(4097),
      latitude: 90.5,
      longitude: -181,
      elevationM: Number.NaN,
      timezone: 'Mars/Base',
      metadata: { 'a/b~': 'nul\0', '': 'x' },
    };
    expect(faultsOf(() => parseNewSite(wrong))).toEqual([
      '/name invalid_name',
      '/description invalid_text',
      '/latitude out_of_range',
      '/longitude out_of_range',
      '/elevation_m invalid_number',
      '/timezone invalid_timezone',
      '/metadata/a~1b~0 invalid_text',
      '/metadata invalid_key',
      '/actor invalid_actor',
    ]);
  });

  test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'US/Eastern', 'Etc/GMT+5'])(
    'takes the zone %s',
    (timezone) => {
      expect(parseNewSite({ ...site, timezone }).timezone).toBe(timezone);
    },
  );

  test.each(['+01:00', 'utc', 'europe/berlin', 'EUROPE/BERLIN', 'Europe/Nowhere', 'UTC ', '../etc/passwd'])(
    'refuses the zone %j',
    (timezone) => {
      expect(faultsOf(() => parseNewSite({ ...site, timezone }))).toEqual(['/timezone invalid_timezone']);
    },
  );

  test('bounds metadata', () => {
    const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
    expect(faultsOf(() => parseNewSite({ ...site, metadata: members(64) }))).toEqual([]);
    expect(faultsOf(() => parseNewSite({ ...site, metadata: members(65) }))).toEqual(['/metadata too_many_members']);
    const longKey = { ['k'.repeat(257)]: 'v' };
    expect(faultsOf(() => parseNewSite({ ...site, metadata: longKey }))).toEqual(['/metadata invalid_key']);
    expect(faultsOf(() => parseNewSite({ ...site, metadata: { ['🌊'.repeat(256)]: 'v'.repeat(4096) } }))).toEqual([]);
  });

  test.each([undefined, { type: 'robot', id: 'x' }, { type: 'system', id: '' }])('refuses the actor %j', (who) => {
    expect(faultsOf(() => parseNewSite({ ...site, actor: who }))).toEqual(['/actor invalid_actor']);
  });
});

test('parseNewInstrument tells every fault at once', () => {
  const long = 'x'.repeat(4097);
  const wrong = { ...instrument, name: 'a\tb', manufacturer: long, model: long, serialNumber: '\0' };
  expect(faultsOf(() => parseNewInstrument(wrong))).toEqual([
    '/name invalid_name',
    '/manufacturer invalid_text',
    '/model invalid_text',
    '/serial_number invalid_text',
  ]);
});

describe('parseNewVariable', () => {
  test('fills in', () => {
    expect(parseNewVariable(variable)).toMatchObject({
      alias: undefined,
      valueType: 'decimal',
      viewOptions: { hide: false, graph: { scale: { min: 0, max: 100, interval: 10, custom: false } } },
    });
  });

  test('tells every fault at once', () => {
    const wrong = {
      ...variable,
      name: '',
      alias: 'min',
      unit: '\0',
      expectedCadenceS: 0,
      valueType: 'text',
      viewOptionsJson: '{"hide":1,"color":"red","graph":{"scale":{"interval":0}}}',
    };
    expect(faultsOf(() => parseNewVariable(wrong)).sort()).toEqual([
      '/alias invalid_alias',
      '/expected_cadence_s out_of_range',
      '/name invalid_name',
      '/unit invalid_text',
      '/value_type invalid_value',
      '/view_options/color unknown_field',
      '/view_options/graph/scale/interval out_of_range',
      '/view_options/hide invalid_type',
    ]);
  });

  test('fills in view options that were left out', () => {
    const viewOptionsJson = '{"graph":{"scale":{"max":5,"custom":true}}}';
    expect(parseNewVariable({ ...variable, viewOptionsJson }).viewOptions).toEqual({
      hide: false,
      graph: { scale: { ...defaultViewOptions.graph.scale, max: 5, custom: true } },
    });
  });

  test.each([
    ['{', '/view_options invalid_json'],
    ['null', '/view_options invalid_type'],
    ['[]', '/view_options invalid_type'],
    ['{"graph":{"scale":{"min":5,"max":5,"custom":true}}}', '/view_options/graph/scale out_of_range'],
    ['{"graph":{"scale":{"min":1e999}}}', '/view_options/graph/scale/min out_of_range'],
  ])('refuses view options %j', (viewOptionsJson, fault) => {
    expect(faultsOf(() => parseNewVariable({ ...variable, viewOptionsJson }))).toEqual([fault]);
  });
});
