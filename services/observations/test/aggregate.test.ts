import type { StartedService } from '@weir/kit/lifecycle';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { openPool, type Pool, sql, sqlInstant } from '@weir/kit/sql';
import type { TestDatabase } from '@weir/kit/testing';
import { formatInterval, parseInstant } from '@weir/kit/time';
import {
  type AggregateObservationsRequest,
  type AggregateObservationsResponse,
  type BucketPosition,
  ObservationsServiceDefinition,
} from '@weir/proto/observations';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Ask, aggregate, functions, type Observation, random, type Value } from './aggregate-model.js';
import { projectId } from './test-points.js';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

const otherProjectId = '01920000-0000-7000-8000-00000000b000';
const foreignKey = 9;
const hourUs = 3_600_000_000;
const dayUs = 24 * hourUs;
const us = (text: string): number => parseInstant(text) ?? Number.NaN;

/** Days on which the clock or the date changed, and an ordinary one. */
const places = [
  { timezone: 'Europe/London', aroundUs: us('2025-10-26T01:00:00Z') },
  { timezone: 'Europe/London', aroundUs: us('2025-03-30T01:00:00Z') },
  { timezone: 'America/St_Johns', aroundUs: us('2006-10-29T02:31:00Z') },
  { timezone: 'America/St_Johns', aroundUs: us('2007-01-01T03:30:00Z') },
  { timezone: 'Australia/Lord_Howe', aroundUs: us('2025-04-05T15:00:00Z') },
  { timezone: 'Pacific/Apia', aroundUs: us('2011-12-30T10:00:00Z') },
  { timezone: 'UTC', aroundUs: us('2024-02-29T00:00:00Z') },
] as const;

let database: TestDatabase;
let admin: Pool;
let query: StartedService;
let client: RpcClient<typeof ObservationsServiceDefinition>;
/** What is stored, by variable. */
const data = new Map<number, Observation[]>();

/** Observations around each place: every ten minutes or so, with gaps of minutes to days, and rarely further away. */
function observations(seed: number, value: (random: number, i: number) => number): Observation[] {
  const next = random(seed);
  const rows = new Map<number, number>();
  for (const { aroundUs } of places) {
    let at = aroundUs - 2 * dayUs;
    for (let i = 0; i < 250; i++) {
      const step = next();
      at += step < 0.03 ? Math.floor(next() * 20) * hourUs : step < 0.2 ? Math.floor(next() * hourUs) : 600_000_000;
      rows.set(at, value(next(), i));
    }
    for (const days of [-700, -400, -90, -33, 40, 95, 500]) rows.set(aroundUs + days * dayUs, value(next(), days));
  }
  return [...rows].sort(([a], [b]) => a - b);
}

beforeAll(async () => {
  database = await testDatabase();
  admin = openPool({ url: database.url, max: 1 });
  query = await startTestQuery(database.url);
  client = connect(ObservationsServiceDefinition, query.address);
  data.set(
    1,
    observations(1, (value) => Math.round(value * 1000) / 10),
  );
  data.set(
    2,
    observations(2, (value, i) => (value - 0.5) * 10 ** (i % 12)),
  );
  const extremes = [1.7e308, -1.7e308, 5e-324, -5e-324, 0, 1e200, 3e-200, 1, 1e154];
  data.set(
    3,
    observations(3, (value, i) => (i % 7 < 3 ? (extremes[Math.floor(value * 9)] as number) : value)),
  );
  data.set(4, []);
  for (const [key, project] of [
    ...[...data.keys()].map((each) => [each, projectId] as const),
    [foreignKey, otherProjectId] as const,
  ]) {
    const rows = data.get(key) ?? [[places[0].aroundUs, 1] as const];
    await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation, last_at)
      values (${key}, ${project}, ${project}, 1, ${sqlInstant(rows.at(-1)?.[0])})`);
    await admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
      select ${key}::bigint, at, value, 1
      from unnest(${rows.map(([at]) => sqlInstant(at))}::timestamptz[], ${rows.map(([, value]) => value)}::double precision[])
        as given (at, value)`);
  }
});
afterAll(async () => {
  client[Symbol.dispose]();
  await query[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

type Columns = Record<string, Value[]>;

/** Reads all pages of a request, checks the size of each, and joins the columns of each series in ascending order. */
async function readAll(request: Partial<AggregateObservationsRequest>): Promise<Columns[]> {
  const series: Columns[] = (request.series ?? []).map(() => ({}));
  let from: BucketPosition | undefined;
  do {
    const page = await client.aggregateObservations({ projectId, timezone: 'UTC', fill: 'none', ...request, from });
    expect(page.series).toHaveLength(series.length);
    let count = 0;
    for (const [i, each] of page.series.entries()) {
      count += each.count;
      for (const { name, json } of each.columns) {
        const values = JSON.parse(json) as (Value | string)[];
        expect(values).toHaveLength(each.count);
        const read = values.map((value) => (typeof value === 'string' ? us(value) : value));
        const column = series[i]?.[name] ?? [];
        series[i] = {
          ...series[i],
          [name]: request.descending === true ? [...read.reverse(), ...column] : [...column, ...read],
        };
      }
    }
    from = page.nextFrom;
    // a page that has a next one is full
    if (request.limit !== undefined)
      expect(from === undefined ? count <= request.limit : count === request.limit).toBe(true);
  } while (from !== undefined);
  return series;
}

const isoOf = ({ unit, count }: Ask): string =>
  unit === 'us'
    ? formatInterval({ unit: 'microsecond', count })
    : `P${count}${{ year: 'Y', month: 'M', week: 'W', day: 'D' }[unit]}`;

/** Buckets of the unit in the days of the range are not many more than this. */
const intervals: readonly (Pick<Ask, 'unit' | 'count'> & { readonly daysMax: number })[] = [
  { unit: 'us', count: 60_000_000, daysMax: 0.2 },
  { unit: 'us', count: 7 * 60_000_000, daysMax: 2 },
  { unit: 'us', count: 900_000_000, daysMax: 3 },
  { unit: 'us', count: hourUs, daysMax: 12 },
  { unit: 'us', count: 5 * hourUs, daysMax: 30 },
  { unit: 'us', count: 36 * hourUs, daysMax: 300 },
  { unit: 'day', count: 1, daysMax: 200 },
  { unit: 'day', count: 3, daysMax: 400 },
  { unit: 'week', count: 1, daysMax: 900 },
  { unit: 'week', count: 2, daysMax: 900 },
  { unit: 'month', count: 1, daysMax: 900 },
  { unit: 'month', count: 5, daysMax: 900 },
  { unit: 'year', count: 1, daysMax: 900 },
  { unit: 'year', count: 3, daysMax: 900 },
];

const names = Object.keys(functions);
const asks = fc
  .record({
    place: fc.constantFrom(...places),
    interval: fc.constantFrom(...intervals),
    from: fc.double({ min: -1, max: 0.5, noNaN: true }),
    length: fc.double({ min: 0.001, max: 1, noNaN: true }),
    onTheMinute: fc.boolean(),
    fill: fc.constantFrom('none', 'null', 'previous', 'linear'),
    descending: fc.boolean(),
    limit: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 41, max: 10_000 })),
    functions: fc.oneof(
      fc.constant(names),
      fc.shuffledSubarray(names),
      fc.constantFrom(['mean'], ['min', 'max'], ['first', 'count', 'last']),
    ),
    variableKeys: fc.shuffledSubarray([1, 2, 3, 4, foreignKey], { minLength: 1 }),
  })
  .map(({ place, interval: { unit, count, daysMax }, from, length, onTheMinute, fill, ...rest }) => {
    const round = (at: number): number =>
      Math.round(at / (onTheMinute ? 60_000_000 : 1)) * (onTheMinute ? 60_000_000 : 1);
    const startUs = round(place.aroundUs + from * Math.min(daysMax, 60) * dayUs);
    const endUs = round(startUs + Math.max(length * daysMax * dayUs, 60_000_000));
    const ask: Ask = { startUs, endUs, unit, count, timezone: place.timezone, fill: fill as Ask['fill'] };
    return { ...rest, ask };
  });

describe('aggregateObservations', () => {
  test('equals a plain reference, whatever is asked and however it is paged', async () => {
    await fc.assert(
      fc.asyncProperty(asks, async ({ ask, variableKeys, functions: [...asked], descending, limit }) => {
        // pages of few buckets are read of a short range alone
        const endUs =
          limit < 5 ? Math.min(ask.endUs, ask.startUs + 20 * (ask.unit === 'us' ? ask.count : 7 * dayUs)) : ask.endUs;
        const { startUs, timezone, fill } = ask;
        const read = await readAll({
          series: variableKeys.map((variableKey) => ({ variableKey })),
          interval: isoOf(ask),
          startUs,
          endUs,
          timezone,
          fill,
          functions: asked,
          descending,
          limit,
        });
        expect(read).toEqual(variableKeys.map((key) => aggregate(data.get(key) ?? [], asked, { ...ask, endUs })));
      }),
      { numRuns: 80, seed: 6 },
    );
  }, 60_000);

  const auto = async (request: Partial<AggregateObservationsRequest>) =>
    await client.aggregateObservations({
      projectId,
      timezone: 'UTC',
      fill: 'none',
      functions: ['min', 'max'],
      ...request,
    });
  const column = (page: AggregateObservationsResponse, name: string): unknown =>
    JSON.parse(page.series[0]?.columns.find((each) => each.name === name)?.json ?? 'null');

  test('of automatic length keeps peaks, and shows gaps where the cadence says that there are', async () => {
    const rows = data.get(1) ?? [];
    const request = { startUs: rows[0]?.[0] ?? 0, endUs: (rows.at(-1)?.[0] ?? 0) + 1, pointsMax: 100 };
    const page = await auto({ ...request, series: [{ variableKey: 1, expectedCadenceS: 86_400 * 60 }] });
    expect(page.interval).toBe('P3M');
    const values = rows.map(([, value]) => value);
    const shown = { min: column(page, 'min') as number[], max: column(page, 'max') as number[] };
    const present = (each: number[]): number[] => each.filter((value) => value !== null);
    expect(Math.min(...present(shown.min))).toBe(Math.min(...values));
    expect(Math.max(...present(shown.max))).toBe(Math.max(...values));
    const gaps = rows.filter(([at], i) => i > 0 && at - (rows[i - 1]?.[0] ?? 0) > 120 * dayUs);
    expect(gaps.length).toBeGreaterThan(2);
    const gap = column(page, 'gap') as boolean[];
    // where nothing was for months, a bucket without values breaks the line, and what comes after it is marked
    expect(shown.max.filter((value) => value === null).length).toBeGreaterThan(2);
    for (const [i, value] of shown.max.entries())
      if (value === null) expect([gap[i], gap[i + 1]]).toEqual([true, true]);
    const unknown = await auto({ ...request, series: [{ variableKey: 1 }] });
    expect(column(unknown, 'gap')).not.toContain(true);
    expect(column(unknown, 'max')).not.toContain(null);
  });

  test('of a page far shorter than what lies between observations ends early, and goes on', async () => {
    const rows = (data.get(1) ?? []).slice(0, 70);
    const request = {
      startUs: rows[0]?.[0] ?? 0,
      endUs: (rows.at(-1)?.[0] ?? 0) + 1,
      interval: 'PT0.000001S',
      limit: 10_000,
    };
    for (const descending of [false, true]) {
      const found: unknown[] = [];
      let from: BucketPosition | undefined;
      do {
        const page = await auto({ ...request, descending, series: [{ variableKey: 1 }], from });
        expect(page.series[0]?.count).toBeGreaterThan(0);
        found.push(...(column(page, 'max') as number[]));
        from = page.nextFrom;
      } while (from !== undefined);
      const values = rows.map(([, value]) => value);
      expect(found).toEqual(descending ? values.toReversed() : values);
    }
  });

  test('of a range that holds nothing has no buckets, or empty ones', async () => {
    const outside = {
      startUs: us('2250-01-01T00:00:00Z'),
      endUs: us('2250-01-01T00:00:00Z'),
      series: [{ variableKey: 1 }],
    };
    expect(column(await auto({ ...outside, pointsMax: 10 }), 'timestamps')).toEqual([]);
    const empty = {
      startUs: us('1990-01-01T00:00:00Z'),
      endUs: us('1990-01-03T00:00:00Z'),
      interval: 'P1D',
      limit: 10,
    };
    expect(column(await auto({ ...empty, series: [{ variableKey: 1 }], fill: 'linear' }), 'max')).toEqual([null, null]);
    expect(column(await auto({ ...empty, series: [{ variableKey: 1 }] }), 'max')).toEqual([]);
  });

  test.each<[string, Partial<AggregateObservationsRequest>, string]>([
    ['no series', { series: [], interval: 'P1D', limit: 1 }, 'invalid_request'],
    ['an unknown zone', { timezone: 'Mars', interval: 'P1D', limit: 1 }, 'invalid_request'],
    ['an unknown function', { functions: ['constructor'], interval: 'P1D', limit: 1 }, 'invalid_request'],
    ['an unknown fill', { fill: 'zero', interval: 'P1D', limit: 1 }, 'invalid_request'],
    ['an interval that mixes', { interval: 'P1DT1H', limit: 1 }, 'invalid_request'],
    ['no limit', { interval: 'P1D', limit: 0 }, 'invalid_request'],
    ['one point', { pointsMax: 1 }, 'invalid_request'],
    [
      'too much at once',
      { pointsMax: 10_000, series: Array.from({ length: 11 }, (_, i) => ({ variableKey: i })) },
      'response_too_large',
    ],
  ])('refuses %s', async (_, request, code) => {
    const range = { startUs: us('2025-01-01T00:00:00Z'), endUs: us('2025-01-02T00:00:00Z') };
    await expect(auto({ series: [{ variableKey: 1 }], ...range, ...request })).rejects.toMatchObject({ code });
  });
});
