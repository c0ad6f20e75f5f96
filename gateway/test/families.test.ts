import { notFound, WeirError } from '@weir/kit/errors';
import { newId } from '@weir/kit/ids';
import { allPermissions } from '@weir/kit/permissions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  calculated,
  calculatedJson,
  calculation,
  calculationJson,
  constant,
  constantJson,
  group,
  groupJson,
  ids,
  ingested,
  ingestedJson,
  instrument,
  instrumentJson,
  member,
  memberJson,
  site,
  siteJson,
} from './catalog-messages.js';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
let key: string;
let keyId: string;
beforeAll(async () => {
  gateway = await startWithFakes();
  key = gateway.fakes.developerKey(allPermissions);
  keyId = (await gateway.call('GET', '/dev-api/v1/permissions', { key })).json.data.key.id;
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.fakes.answers.clear();
  gateway.fakes.asked.length = 0;
  gateway.fakes.answers.set('getLastInstants', { instants: [{ instrumentId: ids.instrument, atUs: 0 }] });
});

const call = (method: string, path: string, body?: unknown, caller = key) =>
  gateway.call(method, `/dev-api/v1/p/${gateway.fakes.projectId}${path}`, {
    key: caller,
    ...(body !== undefined && { body }),
  });
const last = () => gateway.fakes.asked.findLast(({ method }) => method !== 'getLastInstants');

/** A path, the method that it calls with what beside project and actor, what is answered, and its JSON. */
interface Row {
  readonly call: readonly [method: string, path: string, body?: unknown];
  readonly rpc: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
  readonly data: unknown;
}

const siteKey = { siteId: ids.site };
const instrumentKey = { instrumentId: ids.instrument };
const groupKey = { groupId: ids.group };
const variableKey = { ...instrumentKey, variableId: ids.variable };
const constantKey = { ...instrumentKey, constantId: ids.constant };
const paths = {
  site: `/sites/${ids.site}`,
  instrument: `/instruments/${ids.instrument}`,
  ingested: `/instruments/${ids.instrument}/ingested-variables/${ids.variable}`,
  calculated: `/instruments/${ids.instrument}/calculated-variables/${ids.variable}`,
  constant: `/instruments/${ids.instrument}/calibration-constants/${ids.constant}`,
  group: `/instrument-groups/${ids.group}`,
};
const run = { recalculationBatchRunId: ids.run };
const written = (resource: unknown) => ({ resource, recalculation_batch_run_id: ids.run });

/** Read, archive and restore, which are alike everywhere. */
function plainRows(
  path: string,
  what: string,
  request: Readonly<Record<string, unknown>>,
  record: object,
  json: unknown,
  restored = json,
): Row[] {
  const answer = { ...record, ...run };
  return [
    { call: ['GET', path], rpc: `get${what}`, request: { ...request, includeArchived: false }, answer, data: json },
    {
      call: [
        'GET',
        `${path.toUpperCase().replace(/\/[A-Z-]+\//g, (word) => word.toLowerCase())}?include_archived=true`,
      ],
      rpc: `get${what}`,
      request: { ...request, includeArchived: true },
      answer,
      data: json,
    },
    { call: ['POST', `${path}/archive`], rpc: `archive${what}`, request, answer, data: json },
    { call: ['POST', `${path}/restore`], rpc: `restore${what}`, request, answer, data: restored },
  ];
}

const rows: Row[] = [
  ...plainRows(paths.site, 'Site', siteKey, { site }, siteJson),
  ...plainRows(paths.instrument, 'Instrument', instrumentKey, { instrument }, instrumentJson, {
    ...instrumentJson,
    recalculation_batch_run_id: ids.run,
  }),
  ...plainRows(
    paths.ingested,
    'Variable',
    { ...variableKey, variableType: 'ingested' },
    { variable: ingested },
    ingestedJson,
  ),
  ...plainRows(
    paths.calculated,
    'Variable',
    { ...variableKey, variableType: 'calculated' },
    { variable: calculated },
    calculatedJson,
    written(calculatedJson),
  ),
  ...plainRows(paths.constant, 'Constant', constantKey, { constant }, constantJson, written(constantJson)),
  ...plainRows(paths.group, 'Group', groupKey, { group }, groupJson),
  {
    call: ['GET', `/variables/${ids.variable}`],
    rpc: 'getVariable',
    request: { variableId: ids.variable, instrumentId: '', variableType: '' },
    answer: { variable: calculated },
    data: calculatedJson,
  },
  {
    call: ['POST', '/sites', { name: 'North', latitude: null, elevation_m: -2, metadata: { a: 'b' } }],
    rpc: 'createSite',
    request: {
      name: 'North',
      description: '',
      latitude: undefined,
      elevationM: -2,
      timezone: '',
      metadata: { a: 'b' },
    },
    answer: { site },
    data: siteJson,
  },
  {
    call: ['POST', '/instruments', { name: 'Gauge', site_id: ids.site.toUpperCase(), model: 'm' }],
    rpc: 'createInstrument',
    request: { name: 'Gauge', siteId: ids.site, model: 'm', serialNumber: undefined, metadata: {} },
    answer: { instrument },
    data: { ...instrumentJson, last_observation_at: null },
  },
  {
    call: ['POST', paths.ingested.slice(0, -37), { name: 'level', unit: 'm', view_options: { hide: true } }],
    rpc: 'createIngestedVariable',
    request: {
      ...instrumentKey,
      name: 'level',
      alias: '',
      unit: 'm',
      viewOptionsJson: '{"hide":true,"graph":{"scale":{"min":0,"max":100,"interval":10,"custom":false}}}',
    },
    answer: { variable: ingested },
    data: ingestedJson,
  },
  {
    call: ['POST', paths.calculated.slice(0, -37), { name: 'level', calculations: [calculationJson] }],
    rpc: 'createCalculatedVariable',
    request: { ...instrumentKey, name: 'level', valueType: '', viewOptionsJson: '', calculations: [calculation] },
    answer: { variable: calculated, ...run },
    data: written(calculatedJson),
  },
  {
    call: ['POST', paths.constant.slice(0, -37), { name: 'slope', alias: 'k', values: constantJson.values }],
    rpc: 'createConstant',
    request: { ...instrumentKey, name: 'slope', alias: 'k', unit: undefined, values: constant.values },
    answer: { constant, ...run },
    data: written(constantJson),
  },
  {
    call: ['POST', '/instrument-groups', { name: 'River' }],
    rpc: 'createGroup',
    request: { name: 'River', description: '' },
    answer: { group },
    data: groupJson,
  },
  {
    call: ['PATCH', paths.site, { name: 'North', latitude: null, metadata: {}, expected_revision: 3 }],
    rpc: 'updateSite',
    request: {
      ...siteKey,
      expectedRevision: 3,
      patch: { name: 'North', metadata: { entries: {} }, cleared: ['latitude'] },
    },
    answer: { site },
    data: siteJson,
  },
  {
    call: ['PATCH', paths.instrument, { site_id: null, manufacturer: 'x' }],
    rpc: 'updateInstrument',
    request: { ...instrumentKey, expectedRevision: undefined, patch: { manufacturer: 'x', cleared: ['site_id'] } },
    answer: { instrument },
    data: instrumentJson,
  },
  {
    call: ['PATCH', paths.ingested, { unit: null, expected_cadence_s: 5 }],
    rpc: 'updateIngestedVariable',
    request: { ...variableKey, patch: { expectedCadenceS: 5, cleared: ['unit'] }, hasObservations: false },
    answer: { variable: ingested },
    data: ingestedJson,
  },
  {
    call: ['PATCH', paths.calculated, { calculations: [calculationJson], is_time_variable: false }],
    rpc: 'updateCalculatedVariable',
    request: { ...variableKey, patch: { calculations: { items: [calculation] }, isTimeVariable: false, cleared: [] } },
    answer: { variable: calculated, ...run },
    data: written(calculatedJson),
  },
  {
    call: ['PATCH', paths.constant, { values: constantJson.values }],
    rpc: 'updateConstant',
    request: { ...constantKey, patch: { values: { items: constant.values }, cleared: [] } },
    answer: { constant, ...run },
    data: written(constantJson),
  },
  {
    call: ['PATCH', paths.group, { description: 'd' }],
    rpc: 'updateGroup',
    request: { ...groupKey, patch: { description: 'd' } },
    answer: { group },
    data: groupJson,
  },
  {
    call: ['PUT', `${paths.group}/members/${ids.instrument}`],
    rpc: 'addGroupMember',
    request: { ...groupKey, ...instrumentKey },
    answer: { member },
    data: memberJson,
  },
  {
    call: ['DELETE', `${paths.group}/members/${ids.instrument}`],
    rpc: 'removeGroupMember',
    request: { ...groupKey, ...instrumentKey },
    answer: {},
    data: {},
  },
];

test.each(rows)('$call.0 $call.1 asks $rpc', async ({ call: [method, path, body], rpc, request, answer, data }) => {
  gateway.fakes.answers.set(rpc, answer);
  const { status, json } = await call(method, path, body);
  expect(json.data ?? json.error).toEqual(data);
  expect(status).toBe(rpc.startsWith('create') ? 201 : 200);
  const actor = rpc.startsWith('get') ? {} : { actor: { type: 'developer_api_key', id: keyId } };
  expect(last()).toMatchObject({ method: rpc, request: { projectId: gateway.fakes.projectId, ...request, ...actor } });
});

describe('what a service refuses', () => {
  test('passes unchanged', async () => {
    const details = [{ path: '/expected_revision', code: 'revision_conflict', message: 'It is 4.' }];
    gateway.fakes.answers.set('updateSite', new WeirError('revision_conflict', 'Stale.', { details }));
    const stale = await call('PATCH', paths.site, { name: 'a' });
    expect([stale.status, stale.json.error]).toEqual([409, { code: 'revision_conflict', message: 'Stale.', details }]);
    gateway.fakes.answers.set('archiveSite', new WeirError('dependency_conflict', 'In use.'));
    expect((await call('POST', `${paths.site}/archive`)).json.error.code).toBe('dependency_conflict');
  });

  // what is not declared is 500 `internal` here, and missing from the document
  test.each([
    ['archiveSite', `${paths.site}/archive`],
    ['archiveInstrument', `${paths.instrument}/archive`],
    ['restoreInstrument', `${paths.instrument}/restore`],
    ['archiveVariable', `${paths.ingested}/archive`],
    ['archiveVariable', `${paths.calculated}/archive`],
    ['restoreVariable', `${paths.calculated}/restore`],
    ['archiveConstant', `${paths.constant}/archive`],
  ])('a dependency conflict of %s is declared', async (rpc, path) => {
    gateway.fakes.answers.set(rpc, new WeirError('dependency_conflict', 'In use.'));
    const { status, json } = await call('POST', path);
    expect([status, json.error?.code]).toEqual([409, 'dependency_conflict']);
  });

  test('an id that is no UUID is asked for as one that names nothing', async () => {
    gateway.fakes.answers.set('getSite', notFound('site'));
    const unknown = await call('GET', `/sites/${newId()}`);
    const nonsense = await call('GET', '/sites/nonsense');
    expect([nonsense.status, nonsense.json.error]).toEqual([404, unknown.json.error]);
    expect(last()).toMatchObject({ request: { siteId: '00000000-0000-0000-0000-000000000000' } });
  });

  test('the last observation of an instrument is asked for before anything is changed', async () => {
    gateway.fakes.answers.delete('getLastInstants');
    gateway.fakes.answers.set('archiveInstrument', { instrument });
    expect((await call('POST', `${paths.instrument}/archive`)).status).toBe(503);
    expect(gateway.fakes.asked.map(({ method }) => method)).not.toContain('archiveInstrument');
  });
});
