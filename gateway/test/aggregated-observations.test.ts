import { newId } from '@weir/kit/ids';
import type { Variable } from '@weir/proto/variables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
let key: string;
let level: Variable;
let flow: Variable;
const range = 'start=2026-01-01T00:00:00Z&end=2026-01-03T00:00:00Z';

beforeAll(async () => {
  gateway = await startWithFakes();
  key = gateway.fakes.developerKey(['developer_api.observations.read']);
  level = gateway.fakes.variable(newId(), [], 'm');
  level.expectedCadenceS = 600;
  flow = gateway.fakes.variable(newId(), []);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const read = (query: string) =>
  gateway.call('GET', `/dev-api/v1/p/${gateway.fakes.projectId}/observations?${query}`, { key });
const ids = () => `variable_id=${level.id},${flow.id}`;

/** What the observations service answers: a day for each series, and where the next page begins. */
function answer(nextFrom?: { bucketUs: number; seriesIndex: number }): void {
  const columns = [
    { name: 'timestamps', json: '["2026-01-01T00:00:00.000Z"]' },
    { name: 'complete', json: '[true]' },
    { name: 'mean', json: '[1.5]' },
    { name: 'max_at', json: '["2026-01-01T06:00:00.000Z"]' },
  ];
  const series = [0, 1].map(() => ({ count: 1, columns }));
  gateway.fakes.answers.set('aggregateObservations', { interval: 'P1D', series, nextFrom });
}
const asked = () => gateway.fakes.asked.at(-1)?.request;

describe('observations in buckets', () => {
  test('have a column for each function', async () => {
    answer();
    const { status, json } = await read(
      `${ids()}&${range}&interval=P1D&aggregation=mean,max_at,mean&timezone=Asia/Tokyo`,
    );
    expect(status).toBe(200);
    const item = {
      timestamps: ['2026-01-01T00:00:00.000Z'],
      complete: [true],
      mean: [1.5],
      max_at: ['2026-01-01T06:00:00.000Z'],
    };
    expect(json.data).toEqual({
      items: [
        { variable_id: level.id, unit: 'm', ...item },
        { variable_id: flow.id, unit: null, ...item },
      ],
      interval: 'P1D',
      next_cursor: null,
      change_mark: expect.any(String),
    });
    expect(asked()).toMatchObject({
      projectId: gateway.fakes.projectId,
      series: [{ variableKey: level.variableKey, expectedCadenceS: 600 }, { variableKey: flow.variableKey }],
      startUs: Date.UTC(2026, 0, 1) * 1000,
      endUs: Date.UTC(2026, 0, 3) * 1000,
      interval: 'P1D',
      timezone: 'Asia/Tokyo',
      functions: ['mean', 'max_at'],
      fill: 'none',
      descending: false,
      limit: 1000,
    });
  });

  test('are means in UTC unless asked otherwise', async () => {
    answer();
    await read(`${ids()}&${range}&interval=PT1H&fill=linear&order=desc&limit=7`);
    expect(asked()).toMatchObject({ functions: ['mean'], timezone: 'UTC', fill: 'linear', descending: true, limit: 7 });
  });

  test('of automatic length keep peaks', async () => {
    answer();
    await read(`${ids()}&${range}&interval=auto&aggregation=median,max`);
    expect(asked()).toMatchObject({ pointsMax: 1000, functions: ['median', 'max', 'mean', 'min'] });
    expect(asked()).not.toHaveProperty('interval', expect.anything());
  });

  test('go on where the page before ended, and only if all is asked as then', async () => {
    answer({ bucketUs: 1_767_225_600_000_000, seriesIndex: 1 });
    const first = await read(`${ids()}&${range}&interval=P1D&limit=1`);
    const cursor = `cursor=${first.json.data.next_cursor}`;
    expect((await read(`${ids()}&${range}&interval=P1D&limit=5&${cursor}`)).status).toBe(200);
    expect(asked()).toMatchObject({ from: { bucketUs: 1_767_225_600_000_000, seriesIndex: 1 }, limit: 5 });
    // what is meant anyway may be named as well
    for (const same of ['timezone=UTC', 'fill=none', 'aggregation=mean&timezone=UTC&fill=none']) {
      const named = await read(`${ids()}&${range}&interval=P1D&${same}&limit=1`);
      const goesOn = [`interval=P1D&${same}&${cursor}`, `interval=P1D&cursor=${named.json.data.next_cursor}`];
      for (const query of goesOn) expect((await read(`${ids()}&${range}&${query}`)).status).toBe(200);
    }
    expect(
      (await read(`variable_id=${level.id.toUpperCase()},${flow.id}&${range}&interval=P1D&${cursor}`)).status,
    ).toBe(200);
    const others = [
      'interval=PT24H',
      'interval=P1D&timezone=Asia/Tokyo',
      'interval=P1D&fill=null',
      'interval=P1D&aggregation=max',
    ];
    for (const other of ['', ...others]) {
      const refused = await read(`${ids()}&${range}&${other}&${cursor}`.replace('&&', '&'));
      expect([other, refused.json.error?.code]).toEqual([other, 'invalid_cursor']);
    }
  });

  test.each<[string, string[]]>([
    ['interval=P1DT1H', ['query/interval invalid_interval']],
    ['interval=daily', ['query/interval invalid_interval']],
    ['interval=P1DT1H&fill=null&max_points=5', ['query/interval invalid_interval']],
    ['interval=P1D&aggregation=mean,mode', ['query/aggregation invalid_choice']],
    ['interval=P1D&timezone=Europe/Nowhere', ['query/timezone invalid_timezone']],
    ['interval=P1D&fill=zero', ['query/fill invalid_choice']],
    ['interval=P1D&max_points=10', ['query/max_points needs_interval']],
    ['interval=auto&max_points=1', ['query/max_points out_of_range']],
    ['interval=auto&cursor=x', ['query/cursor exclusive']],
    [
      'aggregation=mean&timezone=UTC&fill=none',
      ['aggregation', 'timezone', 'fill'].map((name) => `query/${name} needs_interval`),
    ],
  ])('%s is 400', async (query, faults) => {
    const { status, faults: told } = await read(`${ids()}&${range}&${query}`);
    expect([status, told]).toEqual([400, faults]);
  });

  test('need a range', async () => {
    const { faults } = await read(`${ids()}&interval=P1D`);
    expect(faults).toEqual(['query/start required', 'query/end required']);
  });
});
