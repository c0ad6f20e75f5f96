import { newId } from '@weir/kit/ids';
import { observationInstantMinUs } from '@weir/kit/time';
import type { Variable } from '@weir/proto/variables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
let key: string;
let full: Variable;
let empty: Variable;
let short: Variable;
const instrumentId = newId();
const at = (second: number) => new Date(second * 1000).toISOString();

beforeAll(async () => {
  gateway = await startWithFakes();
  key = gateway.fakes.developerKey(['developer_api.observations.read']);
  full = gateway.fakes.variable(
    instrumentId,
    [1, 2, 3, 4, 5].map((second) => [second, second / 2]),
    'm "above" datum',
  );
  empty = gateway.fakes.variable(instrumentId, []);
  short = gateway.fakes.variable(newId(), [[2, -1]]);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const read = (query: string, path = 'observations') =>
  gateway.call('GET', `/dev-api/v1/p/${gateway.fakes.projectId}/${path}?${query}`, { key });
const ids = (...variables: Variable[]) => `variable_id=${variables.map((variable) => variable.id).join(',')}`;
const columns = (variable: Variable, seconds: number[], values: number[]) => ({
  variable_id: variable.id,
  unit: variable.unit ?? null,
  timestamps: seconds.map(at),
  values,
});

describe('observations', () => {
  test('are columns per variable, in the order asked', async () => {
    const { status, json, headers } = await read(ids(short, empty, full));
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(json.data).toEqual({
      items: [columns(short, [2], [-1]), columns(empty, [], []), columns(full, [1, 2, 3, 4, 5], [0.5, 1, 1.5, 2, 2.5])],
      next_cursor: null,
      change_mark: expect.any(String),
    });
  });

  test('a range is half-open, and has two orders', async () => {
    const range = `start=${at(2)}&end=${at(4)}`;
    expect((await read(`${ids(full)}&${range}`)).json.data.items).toEqual([columns(full, [2, 3], [1, 1.5])]);
    const descending = await read(`${ids(full)}&${range}&order=desc`);
    expect(descending.json.data.items).toEqual([columns(full, [3, 2], [1.5, 1])]);
  });

  test.each(['asc', 'desc'])('pages neither repeat nor skip (%s)', async (order) => {
    const whole = await read(`${ids(full, empty, short)}&order=${order}`);
    for (const limit of [1, 2, 5, 6]) {
      const items: { variable_id: string; timestamps: string[]; values: number[] }[] = [];
      let cursor = '';
      do {
        const { status, json } = await read(`${ids(full, empty, short)}&order=${order}&limit=${limit}${cursor}`);
        expect(status).toBe(200);
        for (const item of json.data.items) {
          const before = items.find((each) => each.variable_id === item.variable_id);
          if (before === undefined) items.push(item);
          else {
            before.timestamps.push(...item.timestamps);
            before.values.push(...item.values);
          }
        }
        cursor = json.data.next_cursor === null ? '' : `&cursor=${json.data.next_cursor}`;
      } while (cursor !== '');
      expect(items).toEqual(whole.json.data.items);
    }
  });

  test('a page has an item for each variable that it goes through', async () => {
    const first = await read(`${ids(full, empty, short)}&limit=5`);
    expect(first.json.data.items.map((item: { variable_id: string }) => item.variable_id)).toEqual([full.id]);
    const second = await read(`${ids(full, empty, short)}&limit=5&cursor=${first.json.data.next_cursor}`);
    expect(second.json.data).toMatchObject({
      items: [columns(empty, [], []), columns(short, [2], [-1])],
      next_cursor: null,
    });
  });

  test('a cursor holds for the same instants, however they are written, and for nothing else', async () => {
    const first = await read(`${ids(full)}&limit=1&start=1970-01-01T00:00:01Z`);
    const cursor = `cursor=${first.json.data.next_cursor}`;
    const same = await read(`${ids(full)}&limit=3&start=1970-01-01T01:00:01.000%2B01:00&${cursor}`);
    expect(same.json.data.items).toEqual([columns(full, [2, 3, 4], [1, 1.5, 2])]);
    for (const query of [`${ids(full)}&start=1970-01-01T00:00:02Z`, ids(full), `${ids(full, short)}&start=${at(1)}`]) {
      expect((await read(`${query}&${cursor}`)).json.error.code).toBe('invalid_cursor');
    }
  });

  test('bounds outside the years of observations are clamped', async () => {
    const wide = await read(`${ids(short)}&start=0001-01-01T00:00:00Z&end=9999-12-31T23:59:59Z`);
    expect(wide.json.data.items).toEqual([columns(short, [2], [-1])]);
    const before = await read(`${ids(short)}&start=1500-01-01T00:00:00Z&end=1600-01-01T00:00:00Z`);
    expect(before.json.data.items).toEqual([columns(short, [], [])]);
  });

  test.each<[string, string, string[]]>([
    ['no variable', 'limit=1', ['query/variable_id required']],
    [
      'too many variables',
      `variable_id=${Array.from({ length: 51 }, newId).join(',')}`,
      ['query/variable_id out_of_range'],
    ],
    ['a wrong limit', `variable_id=${newId()}&limit=10001`, ['query/limit out_of_range']],
    [
      'equal bounds',
      `variable_id=${newId()}&start=${at(1)}&end=${at(1)}`,
      ['query/start out_of_range', 'query/end out_of_range'],
    ],
    ['a bound without a zone', `variable_id=${newId()}&start=2026-01-01T00:00:00`, ['query/start invalid_instant']],
  ])('%s is 400', async (_, query, faults) => {
    const answer = await read(query);
    expect([answer.status, answer.faults]).toEqual([400, faults]);
  });

  test('an id that names nothing here is 404, whatever else it may name', async () => {
    const elsewhere = gateway.fakes.variable(newId(), []);
    elsewhere.projectId = newId();
    const answers = [];
    for (const id of [newId(), elsewhere.id, 'nonsense']) {
      const { status, json } = await read(`variable_id=${full.id},${id}`);
      answers.push({ status, error: json.error });
    }
    expect(answers[0]?.status).toBe(404);
    expect(answers[0]?.error.details[0].message).toBe('Id 2 of the list names no variable of the project.');
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('archived variables are read when asked for', async () => {
    const archived = gateway.fakes.variable(instrumentId, [[1, 1]]);
    archived.lifecycle = { state: 'archived' };
    expect((await read(ids(archived))).status).toBe(404);
    expect((await read(`${ids(archived)}&include_archived=true`)).json.data.items).toEqual([
      columns(archived, [1], [1]),
    ]);
  });
});

describe('latest observations', () => {
  const latest = (query: string) => read(query, 'observations/latest');
  const item = (variable: Variable, second: number | null, value: number | null) => ({
    variable_id: variable.id,
    instrument_id: variable.instrumentId,
    unit: variable.unit ?? null,
    timestamp: second === null ? null : at(second),
    value,
  });

  test('are of the variables asked, those without any with nulls', async () => {
    const { json } = await latest(ids(short, empty, full));
    expect(json.data).toEqual({
      items: [item(short, 2, -1), item(empty, null, null), item(full, 5, 2.5)],
      next_cursor: null,
    });
  });

  test('are of all variables of an instrument', async () => {
    const { json } = await latest(`instrument_id=${instrumentId.toUpperCase()}`);
    expect(json.data.items).toEqual([item(full, 5, 2.5), item(empty, null, null)]);
  });

  test('are those of an earlier instant', async () => {
    expect((await latest(`${ids(full)}&as_of=${at(3)}`)).json.data.items).toEqual([item(full, 3, 1.5)]);
    expect((await latest(`${ids(full)}&as_of=${at(0)}`)).json.data.items).toEqual([item(full, null, null)]);
  });

  test('are of the instruments of a group', async () => {
    const groupId = newId();
    gateway.fakes.groups.set(groupId, [short.instrumentId, instrumentId]);
    const { json } = await latest(`group_id=${groupId.toUpperCase()}`);
    expect(json.data.items).toEqual([item(full, 5, 2.5), item(empty, null, null), item(short, 2, -1)]);
  });

  test('an instant before all observations shows none, not even the first that may be', async () => {
    const first = gateway.fakes.variable(newId(), [[observationInstantMinUs / 1_000_000, 7]]);
    const value = async (asOf: string) => (await latest(`${ids(first)}&as_of=${asOf}`)).json.data.items[0].value;
    expect(await value('1600-01-01T00:00:00Z')).toBeNull();
    expect(await value('1700-01-01T00:00:00Z')).toBe(7);
  });

  test('tell a selection at fault together with other faults, but not one whose parameter is at fault itself', async () => {
    expect((await latest('unknown=1')).faults).toEqual([
      'query/unknown unknown_query_parameter',
      'query/variable_id exclusive',
      'query/instrument_id exclusive',
      'query/group_id exclusive',
    ]);
    expect((await latest('instrument_id=')).faults).toEqual(['query/instrument_id empty_value']);
  });

  test('need exactly one selection', async () => {
    const selectors = {
      variable_id: ids(full),
      instrument_id: `instrument_id=${instrumentId}`,
      group_id: `group_id=${newId()}`,
    };
    const { variable_id, instrument_id, group_id } = selectors;
    for (const given of [[], [variable_id, instrument_id], [instrument_id, group_id], Object.values(selectors)]) {
      const answer = await latest(given.join('&'));
      const named = Object.keys(selectors);
      expect([answer.status, answer.faults]).toEqual([400, named.map((name) => `query/${name} exclusive`)]);
    }
  });

  test('of more variables than are read at a time are refused before they are read', async () => {
    const groupId = newId();
    const crowded = newId();
    gateway.fakes.groups.set(groupId, [crowded]);
    const before = gateway.fakes.variables.length;
    for (let i = 0; i < 10_001; i++) gateway.fakes.variable(crowded, []);
    const { status, json } = await latest(`group_id=${groupId}`);
    gateway.fakes.variables.length = before;
    expect([status, json.error.code]).toEqual([429, 'query_too_large']);
  });

  test('an instrument, group or variable that is not there is 404', async () => {
    const group = ['group_id=nonsense', `group_id=${newId()}`];
    for (const query of [...group, `instrument_id=${newId()}`, 'instrument_id=nonsense', `variable_id=${newId()}`])
      expect((await latest(query)).status).toBe(404);
  });
});
