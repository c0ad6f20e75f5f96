import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { instantAt, reading } from '../harness/points.js';
import { type ProjectApi, projectApiOf } from '../harness/project-api.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

let stack: TestStack;
let project: ProjectApi;
/** Level every ten minutes from 2026-01-01 for four days but for some hours, and flow on the second day alone. */
let level: string;
let flow: string;
const minutes = Array.from({ length: 4 * 144 }, (_, i) => i * 10).filter((minute) => minute < 1800 || minute >= 2400);
const levelAt = (minute: number): number =>
  Math.round(Math.sin(minute / 300) * 1000) / 10 + (minute === 2990 ? 500 : 0);

beforeAll(async () => {
  stack = await openTestStack();
  const tenant = await createTenant(stack.addresses.access);
  project = projectApiOf(stack.gatewayUrl, tenant);
  const { id } = await project.done('POST', '/instruments', { name: 'Gauge' });
  const variable = async (name: string, cadence: number) =>
    (await project.done('POST', `/instruments/${id}/ingested-variables`, { name, expected_cadence_s: cadence })).id;
  level = await variable('level', 600);
  flow = await variable('flow', 3600);
  const levels = minutes.map((minute) => reading('Gauge', minute * 60, levelAt(minute)));
  const flows = Array.from({ length: 24 }, (_, hour) => reading('Gauge', 86_400 + hour * 3600, hour, 'flow'));
  await apiOf(stack.gatewayUrl, tenant).ingest([...levels, ...flows].toReversed());
  await stack.drained();
});
afterAll(() => stack?.[Symbol.asyncDispose]());

const range = `start=${instantAt(0)}&end=${instantAt(4 * 86_400)}`;
const read = (query: string) => project.done('GET', `/observations?variable_id=${level},${flow}&${range}&${query}`);
/** An item without what is no column. */
const columnsOf = (item: Record<string, unknown>): Record<string, unknown[]> =>
  Object.fromEntries(Object.entries(item).flatMap(([name, value]) => (Array.isArray(value) ? [[name, value]] : [])));
const meanOf = (from: number, until: number): number => {
  const values = minutes.filter((minute) => minute >= from && minute < until).map(levelAt);
  return values.reduce((sum, value) => sum + value, 0) / values.length;
};

describe('observations in buckets', () => {
  test('by day, with several functions', async () => {
    const { items, interval, next_cursor } = await read('interval=P1D&aggregation=mean,count,max,max_at');
    expect([interval, next_cursor]).toEqual(['P1D', null]);
    expect(items[0]).toMatchObject({
      variable_id: level,
      timestamps: [0, 1, 2, 3].map((day) => instantAt(day * 86_400)),
      complete: [true, true, true, true],
      count: [144, 84, 144, 144],
      mean: [0, 1, 2, 3].map((day) => expect.closeTo(meanOf(day * 1440, (day + 1) * 1440), 9)),
    });
    expect(items[0].max_at[2]).toBe(instantAt(2990 * 60));
    expect(items[1]).toEqual({
      variable_id: flow,
      unit: null,
      timestamps: [instantAt(86_400)],
      complete: [true],
      mean: [11.5],
      count: [24],
      max: [23],
      max_at: [instantAt(86_400 + 23 * 3600)],
    });
  });

  test('by the days of a zone, which the range covers in part', async () => {
    const { items } = await read('interval=P1D&aggregation=count&timezone=Asia/Kolkata');
    expect(items[0]).toMatchObject({
      timestamps: [0, 1, 2, 3, 4].map((day) => instantAt(day * 86_400 - 19_800)),
      complete: [false, true, true, true, false],
      count: [111, 84, 144, 144, 33],
    });
  });

  test('filled', async () => {
    const { items } = await read('interval=P1D&aggregation=sum,count&fill=previous');
    expect(items[1]).toMatchObject({ sum: [null, 276, 276, 276], count: [0, 24, 0, 0] });
    const hours = await read('interval=PT1H&aggregation=min&fill=null&limit=10000');
    expect(hours.items[0].min.filter((value: unknown) => value === null)).toHaveLength(10);
  });

  test('page by page', async () => {
    for (const query of ['interval=PT1H', 'interval=PT1H&order=desc', 'interval=PT6H&fill=linear']) {
      const whole = await read(`${query}&limit=10000`);
      const items: Record<string, unknown[]>[] = [{}, {}];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await read(`${query}&limit=31${cursor}`);
        for (const [i, item] of page.items.entries()) {
          for (const [name, column] of Object.entries(columnsOf(item)))
            items[i] = { ...items[i], [name]: [...(items[i]?.[name] ?? []), ...column] };
        }
        cursor = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`;
      }
      expect(items).toEqual(whole.items.map(columnsOf));
    }
  });

  test('of automatic length, with the peak and the gap', async () => {
    const { items, interval } = await read('interval=auto&max_points=50&aggregation=median');
    expect(interval).toBe('PT2H');
    expect(Math.max(...items[0].max)).toBe(levelAt(2990));
    // without pages a limit of them says nothing
    expect((await read('interval=auto&max_points=50&aggregation=median&limit=1')).items).toEqual(items);
    const gap = items[0].timestamps.indexOf(instantAt(1800 * 60));
    expect([items[0].median[gap], items[0].gap[gap], items[0].gap[gap - 1], items[0].gap[gap + 1]]).toEqual([
      null,
      true,
      false,
      true,
    ]);
  });

  test('are refused with what to do', async () => {
    const { status, error } = await project.call(
      'GET',
      `/observations?variable_id=${level}&${range}&interval=P1MT1H&fill=none`,
    );
    expect([status, error?.details]).toEqual([
      400,
      [{ path: 'query/interval', code: 'invalid_interval', message: expect.stringContaining('do not mix') }],
    ]);
  });
});
