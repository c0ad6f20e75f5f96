import { newId } from '@weir/kit/ids';
import { allPermissions } from '@weir/kit/permissions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  calculated,
  calculatedJson,
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
beforeAll(async () => {
  gateway = await startWithFakes();
  key = gateway.fakes.developerKey(allPermissions);
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.fakes.answers.clear();
  gateway.fakes.asked.length = 0;
});

const list = (path: string, caller = key) =>
  gateway.call('GET', `/dev-api/v1/p/${gateway.fakes.projectId}${path}`, { key: caller });

const ofInstrument = { instrumentId: ids.instrument };
const base = `/instruments/${ids.instrument}`;
const nowhere = { siteId: '', groupId: '' };

test.each<[path: string, rpc: string, request: object, answer: object, items: unknown[]]>([
  ['/sites', 'listSites', {}, { sites: [site] }, [siteJson]],
  ['/instruments', 'listInstruments', nowhere, { instruments: [instrument] }, [instrumentJson]],
  [
    '/variables',
    'searchVariables',
    { instrumentId: '', variableType: '' },
    { variables: [ingested, calculated] },
    [ingestedJson, calculatedJson],
  ],
  [
    `${base}/ingested-variables`,
    'searchVariables',
    { ...ofInstrument, variableType: 'ingested' },
    { variables: [ingested] },
    [ingestedJson],
  ],
  [
    `${base}/calculated-variables`,
    'searchVariables',
    { ...ofInstrument, variableType: 'calculated' },
    { variables: [calculated] },
    [calculatedJson],
  ],
  [`${base}/calibration-constants`, 'listConstants', ofInstrument, { constants: [constant] }, [constantJson]],
  ['/instrument-groups', 'listGroups', {}, { groups: [group] }, [groupJson]],
])('%s asks %s', async (path, rpc, request, answer, items) => {
  const { fakes } = gateway;
  fakes.answers.set('getLastInstants', { instants: [{ instrumentId: ids.instrument, atUs: 0 }] });
  fakes.answers.set(rpc, { ...answer, nextAfter: '' });
  const asked = () => fakes.asked.find(({ method }) => method === rpc)?.request;
  const first = await list(path);
  expect([first.status, first.json.data]).toEqual([200, { items, next_cursor: null }]);
  const { projectId } = fakes;
  expect(asked()).toMatchObject({ projectId, ...request, q: '', includeArchived: false, limit: 50, after: '' });

  fakes.asked.length = 0;
  fakes.answers.set(rpc, { ...answer, nextAfter: ids.run });
  const query = 'q=%C3%84%25&include_archived=true&limit=3';
  const page = await list(`${path}?${query}`);
  expect(asked()).toMatchObject({ ...request, q: 'Ä%', includeArchived: true, limit: 3, after: '' });

  fakes.asked.length = 0;
  const { next_cursor: cursor } = page.json.data;
  expect((await list(`${path}?${query}&cursor=${cursor}`)).status).toBe(200);
  expect(asked()).toMatchObject({ ...request, q: 'Ä%', includeArchived: true, limit: 3, after: ids.run });
  // what the cursor was not answered for
  const others = [`q=x&include_archived=true&cursor=${cursor}`, `q=%C3%84%25&cursor=${cursor}`, `cursor=${cursor}`];
  for (const other of others) expect((await list(`${path}?${other}`)).json.error.code).toBe('invalid_cursor');
  const another = await list(`${path}?${query}&cursor=${cursor}`, fakes.developerKey(allPermissions));
  expect(another.json.error.code).toBe('invalid_cursor');
});

describe('a cursor', () => {
  test('is of one list, of one parent and of its filters', async () => {
    const { fakes } = gateway;
    fakes.answers.set('searchVariables', { variables: [], nextAfter: ids.run });
    fakes.answers.set('listInstruments', { instruments: [], nextAfter: ids.run });
    const cursorOf = async (path: string) => (await list(path)).json.data.next_cursor as string;
    const codeOf = async (path: string) => (await list(path)).json.error?.code;
    const ingestedOnes = await cursorOf(`${base}/ingested-variables`);
    expect(await codeOf(`${base}/calculated-variables?cursor=${ingestedOnes}`)).toBe('invalid_cursor');
    expect(await codeOf(`/instruments/${newId()}/ingested-variables?cursor=${ingestedOnes}`)).toBe('invalid_cursor');
    const filtered = await cursorOf(`/variables?instrument_id=${ids.instrument}&variable_type=ingested`);
    expect(await codeOf(`/variables?instrument_id=${ids.instrument}&cursor=${filtered}`)).toBe('invalid_cursor');
    const ofSite = await cursorOf(`/instruments?site_id=${ids.site}`);
    expect(await codeOf(`/instruments?group_id=${ids.site}&cursor=${ofSite}`)).toBe('invalid_cursor');
    expect(await codeOf(`/instruments?site_id=${ids.site}&limit=7&cursor=${ofSite}`)).toBeUndefined();
    expect(await codeOf(`/instruments?site_id=${ids.site.toUpperCase()}&cursor=${ofSite}`)).toBeUndefined();
  });
});

describe('instruments', () => {
  test('are asked once for all their last instants', async () => {
    const { fakes } = gateway;
    const second = { ...instrument, id: newId() };
    fakes.answers.set('listInstruments', { instruments: [instrument, second], nextAfter: '' });
    fakes.answers.set('getLastInstants', { instants: [{ instrumentId: second.id, atUs: 1_500_001 }] });
    const { json } = await list(`/instruments?site_id=${ids.site.toUpperCase()}&group_id=${ids.group}`);
    expect(json.data.items.map((item: { last_observation_at: unknown }) => item.last_observation_at)).toEqual([
      null,
      '1970-01-01T00:00:01.500001Z',
    ]);
    expect(fakes.asked).toMatchObject([
      { method: 'listInstruments', request: { siteId: ids.site, groupId: ids.group } },
      { method: 'getLastInstants', request: { instrumentIds: [instrument.id, second.id] } },
    ]);
    fakes.asked.length = 0;
    fakes.answers.set('listInstruments', { instruments: [], nextAfter: '' });
    await list('/instruments');
    expect(fakes.asked.map(({ method }) => method)).toEqual(['listInstruments']);
  });
});

test('members are listed without q', async () => {
  const path = `/instrument-groups/${ids.group}/members`;
  gateway.fakes.answers.set('listGroupMembers', { members: [member], nextAfter: '17' });
  const first = await list(`${path}?limit=1`);
  expect(first.json.data.items).toEqual([memberJson]);
  await list(`${path}?limit=1&cursor=${first.json.data.next_cursor}`);
  expect(gateway.fakes.asked.at(-1)?.request).toMatchObject({ groupId: ids.group, limit: 1, after: '17' });
  expect((await list(`${path}?q=a`)).faults).toEqual(['query/q unknown_query_parameter']);
});

test('q has 1 to 256 characters', async () => {
  expect((await list('/sites?q=')).faults).toEqual(['query/q empty_value']);
  expect((await list(`/sites?q=${'é'.repeat(257)}`)).faults).toEqual(['query/q too_long']);
});
