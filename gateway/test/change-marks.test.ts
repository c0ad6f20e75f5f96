import { newId } from '@weir/kit/ids';
import { parseKey } from '@weir/kit/keys';
import type { ListObservationsRequest } from '@weir/proto/observations';
import type { Variable } from '@weir/proto/variables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Cursors } from '../src/cursors/cursors.js';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
let keys: string[];
let variable: Variable;

beforeAll(async () => {
  gateway = await startWithFakes();
  keys = [1, 2].map(() => gateway.fakes.developerKey(['developer_api.observations.read']));
  variable = gateway.fakes.variable(
    newId(),
    [1, 2, 3, 4, 5].map((second) => [second, second]),
  );
});
afterAll(() => gateway[Symbol.asyncDispose]());

const read = (query: string, key = keys[0] ?? '', projectId = gateway.fakes.projectId) =>
  gateway.call('GET', `/dev-api/v1/p/${projectId}/observations?variable_id=${variable.id}${query}`, { key });
const lastAsked = () => gateway.fakes.asked.at(-1)?.request as ListObservationsRequest;

describe('a change mark', () => {
  test('stands for what the service said, whatever key gives it back', async () => {
    const { change_mark: mark } = (await read('')).json.data;
    const said = `10:10: ${gateway.fakes.asked.length}`;
    const changed = await read(`&changed_since=${mark}`, keys[1]);
    expect(lastAsked().changedSince).toBe(said);
    expect(changed.json.data.items[0]).toMatchObject({
      changed_ranges: [{ start: '1970-01-01T00:00:01.000Z', end: '1970-01-01T00:00:05.000001Z' }],
      values: [1, 2, 3, 4, 5],
    });
    expect((await read('')).json.data.items[0]).not.toHaveProperty('changed_ranges');
  });

  test('of all pages is that of the first', async () => {
    const first = (await read('&limit=2')).json.data;
    const said = `10:10: ${gateway.fakes.asked.length}`;
    let cursor: string | null = first.next_cursor;
    for (let page = 0; cursor !== null; page++) {
      const { json } = await read(`&limit=2&cursor=${cursor}`);
      await read(`&changed_since=${json.data.change_mark}`);
      expect(lastAsked().changedSince).toBe(said);
      cursor = json.data.next_cursor;
    }
  });

  test('after a cursor of the release before is one that is too old', async () => {
    const binding = {
      operation: 'developerapi_observations_read',
      projectId: gateway.fakes.projectId,
      keyId: parseKey(keys[0] ?? '')?.id ?? '',
      filters: { variable_id: [variable.id], order: 'asc', include_archived: false },
    };

    const cursor = new Cursors([Buffer.alloc(32, 1)]).seal(`0 ${2_000_000}`, binding);
    const { status, json } = await read(`&limit=2&cursor=${cursor}`);
    expect([status, json.data?.items[0].values]).toEqual([200, [3, 4]]);
    await read(`&changed_since=${json.data.change_mark}`);
    expect(lastAsked().changedSince).toBe('3:3: 0');
  });

  test.each([
    ['altered', (mark: string) => `${mark.slice(0, -2)}${mark.endsWith('A') ? 'B' : 'A'}${mark.at(-2)}`],
    ['made up', () => 'x'],
    ['a cursor', () => ''],
  ])('that is %s is 400', async (what, alter) => {
    const { data } = (await read('&limit=2')).json;
    const answer = await read(
      `&changed_since=${what === 'a cursor' ? data.next_cursor : alter(data.change_mark as string)}`,
    );
    expect([answer.status, answer.json.error.code, answer.faults]).toEqual([
      400,
      'invalid_request',
      ['query/changed_since invalid_mark'],
    ]);
  });

  test('does not go with buckets, and not with the cursor of another read', async () => {
    const { data } = (await read('&limit=2')).json;
    const buckets = await read(
      `&changed_since=${data.change_mark}&interval=PT1H&start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z`,
    );
    expect(buckets.faults).toEqual(['query/changed_since exclusive', 'query/interval exclusive']);
    const other = await read(`&limit=2&changed_since=${data.change_mark}&cursor=${data.next_cursor}`);
    expect(other.json.error.code).toBe('invalid_cursor');
  });
});
