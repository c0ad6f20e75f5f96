import { randomUUID } from 'node:crypto';
import type { WeirError } from '@weir/kit/errors';
import type { StartedService } from '@weir/kit/lifecycle';
import { connect, isServing, type RpcClient } from '@weir/kit/rpc';
import { declaredStatements, openPool, type Pool, type Sql, sql, sqlInstant } from '@weir/kit/sql';
import type { TestDatabase } from '@weir/kit/testing';
import { formatInstant, observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { ObservationsServiceDefinition, type Position } from '@weir/proto/observations';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import '../src/store/instrument-instants.js';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { projectId } from './test-points.js';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

const otherProjectId = '01920000-0000-7000-8000-00000000b000';
/** Another project's, and one that nobody has. */
const foreignKey = 9;
const unknownKey = 10;
const yearUs = 365.25 * 86_400_000_000;

/** The first two variables are of one instrument, each other one is of its own. */
function instrumentOf(variableKey: number): string {
  return `01920000-0000-7000-8000-00000000000${Math.max(2, variableKey)}`;
}

let database: TestDatabase;
let admin: Pool;
let query: StartedService;
let client: RpcClient<typeof ObservationsServiceDefinition>;
/** What is stored, by variable. */
const data = new Map<number, [atUs: number, value: number][]>();

async function store(variableKey: number, project: string, rows: readonly [number, number][]): Promise<void> {
  const lastUs = rows.at(-1)?.[0];
  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation, last_at)
    values (${variableKey}, ${project}, ${instrumentOf(variableKey)}, 1, ${sqlInstant(lastUs)})`);
  await admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
    select ${variableKey}::bigint, at, value, 1
    from unnest(${rows.map(([atUs]) => sqlInstant(atUs))}::timestamptz[], ${rows.map(([, value]) => value)}::double precision[])
      as given (at, value)`);
}

beforeAll(async () => {
  database = await testDatabase();
  admin = openPool({ url: database.url, max: 1 });
  query = await startTestQuery(database.url);
  client = connect(ObservationsServiceDefinition, query.address);
  const numbers = [0, -1.5, 1e300, 5e-324, 0.1 + 0.2, -1e-7, 1e20, 123_456_789_012, 100];
  const value = (i: number): number => numbers[i % numbers.length] as number;
  const at = (fromUs: number, count: number, stepUs: number): [number, number][] =>
    Array.from({ length: count }, (_, i) => [fromUs + i * stepUs, value(i)]);
  data.set(1, at(observationInstantMinUs, 55, 10 * yearUs));
  data.set(2, at(Date.UTC(2025, 11, 31) * 1000, 48, 3_600_000_000));
  data.set(3, at(-3, 7, 1));
  data.set(4, []);
  data.set(5, at(observationInstantEndUs - 20, 20, 1));
  for (const [key, rows] of data) await store(key, projectId, rows);
  await store(foreignKey, otherProjectId, at(0, 10, 1));
});
afterAll(async () => {
  client[Symbol.dispose]();
  await query[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

interface Ask {
  readonly variableKeys: readonly number[];
  readonly startUs?: number | undefined;
  readonly endUs?: number | undefined;
  readonly descending: boolean;
  readonly limit: number;
}

type Found = readonly [seriesIndex: number, timestamp: string, value: number];

/** Reads all pages of a request, and checks each. */
async function readAll({ variableKeys, limit, ...ask }: Ask): Promise<Found[]> {
  const found: Found[] = [];
  let after: Position | undefined;
  do {
    const page = await client.listObservations({ projectId, variableKeys: [...variableKeys], limit, ...ask, after });
    let count = 0;
    let index = after?.seriesIndex ?? 0;
    for (const { variableKey, count: ofSeries, timestampsJson, valuesJson } of page.series) {
      const timestamps = JSON.parse(timestampsJson) as string[];
      const values = JSON.parse(valuesJson) as number[];
      index = variableKeys.indexOf(variableKey, count === 0 ? index : index + 1);
      expect([timestamps.length, values.length]).toEqual([ofSeries, ofSeries]);
      expect(ofSeries).toBeGreaterThan(0);
      timestamps.forEach((timestamp, i) => found.push([index, timestamp, values[i] as number]));
      count += ofSeries;
    }
    after = page.nextAfter;
    // a page that has a next one is full
    expect(after === undefined ? count <= limit : count === limit).toBe(true);
  } while (after !== undefined);
  return found;
}

function model({ variableKeys, startUs, endUs, descending }: Ask): Found[] {
  return variableKeys.flatMap((key, index) => {
    const rows = (data.get(key) ?? []).filter(([atUs]) => atUs >= (startUs ?? -Infinity) && atUs < (endUs ?? Infinity));
    const found = rows.map(([atUs, value]): Found => [index, formatInstant(atUs), value]);
    return descending ? found.reverse() : found;
  });
}

describe('listObservations', () => {
  test('pages through any series in any order as a model does', async () => {
    const boundary = fc.oneof(
      fc.integer({ min: observationInstantMinUs - yearUs, max: observationInstantEndUs + yearUs }),
      fc.constantFrom(...[...data.values()].flatMap((rows) => rows.map(([atUs]) => atUs))),
    );
    const ask = fc.record({
      variableKeys: fc.shuffledSubarray([...data.keys(), foreignKey, unknownKey], { minLength: 1 }),
      startUs: fc.option(boundary, { nil: undefined }),
      endUs: fc.option(boundary, { nil: undefined }),
      descending: fc.boolean(),
      limit: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.constant(10_000)),
    });
    await fc.assert(
      fc.asyncProperty(ask, async (asked) => {
        expect(await readAll(asked)).toEqual(model(asked));
      }),
      { numRuns: 60 },
    );
  });

  test('goes on after a position that is not stored', async () => {
    const ask = { projectId, variableKeys: [2], limit: 1, startUs: undefined, endUs: undefined };
    const after = { seriesIndex: 0, atUs: (data.get(2)?.[5]?.[0] ?? 0) + 7 };
    const next = async (descending: boolean) =>
      JSON.parse(
        (await client.listObservations({ ...ask, descending, after })).series[0]?.timestampsJson ?? '',
      ) as string[];
    expect(await next(false)).toEqual([formatInstant(data.get(2)?.[6]?.[0] ?? 0)]);
    expect(await next(true)).toEqual([formatInstant(data.get(2)?.[5]?.[0] ?? 0)]);
  });

  test('makes JSON in the shortest form', async () => {
    const { series } = await client.listObservations({ projectId, variableKeys: [3], limit: 10, descending: false });
    expect(series[0]?.timestampsJson).toMatch(/^\["1969-12-31T23:59:59.999997Z",.*"1970-01-01T00:00:00.000Z",.*\]$/);
    expect(series[0]?.valuesJson).toBe('[0,-1.5,1e+300,5e-324,0.30000000000000004,-1e-07,1e+20]');
  });

  test('refuses a limit that no page has', async () => {
    for (const limit of [0, -1, 100_001]) {
      const error = await client
        .listObservations({ projectId, variableKeys: [1], limit, descending: false })
        .catch((caught: WeirError) => caught);
      expect(error).toMatchObject({ code: 'invalid_request' });
    }
  });
});

describe('getLatestObservations', () => {
  test('answers the greatest instant of each series at or before one, in the order asked', async () => {
    const instants = [...data.values()].flatMap((rows) => rows.map(([atUs]) => atUs));
    const keys = fc.shuffledSubarray([...data.keys(), foreignKey, unknownKey]);
    const asOf = fc.option(
      fc.constantFrom(...instants, ...instants.map((us) => us - 1), observationInstantMinUs - yearUs, 2 ** 53 - 1),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(keys, asOf, async (variableKeys, asOfUs) => {
        const { observations } = await client.getLatestObservations({ projectId, variableKeys, asOfUs });
        expect(observations).toEqual(
          variableKeys.flatMap((variableKey) => {
            const last = data.get(variableKey)?.findLast(([atUs]) => atUs <= (asOfUs ?? Infinity));
            return last === undefined ? [] : [{ variableKey, atUs: last[0], value: last[1] }];
          }),
        );
      }),
      { numRuns: 60 },
    );
  });
});

describe('getLastInstants', () => {
  test('answers the greatest instant of each instrument of the project that has an observation', async () => {
    const instrumentIds = [3, 1, 4, 1, foreignKey, unknownKey - 2].map(instrumentOf);
    const { instants } = await client.getLastInstants({ projectId, instrumentIds: [...instrumentIds, 'x'] });
    const last = (...keys: number[]) => Math.max(...keys.map((key) => data.get(key)?.at(-1)?.[0] ?? -Infinity));
    expect(new Map(instants.map(({ instrumentId, atUs }) => [instrumentId, atUs]))).toEqual(
      new Map([
        [instrumentOf(1), last(1, 2)],
        [instrumentOf(3), last(3)],
      ]),
    );
    expect(instants).toHaveLength(2);
  });

  test('of at most 100 instruments', async () => {
    const instrumentIds = Array.from({ length: 101 }, () => randomUUID());
    expect((await client.getLastInstants({ projectId, instrumentIds: instrumentIds.slice(1) })).instants).toEqual([]);
    await expect(client.getLastInstants({ projectId, instrumentIds })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });

  test('reads the series of the instruments alone', async () => {
    const [build] = declaredStatements as ((args: object) => Sql)[];
    const { text, values } = build?.({ projectId, instrumentIds: [instrumentOf(1)] }) ?? { text: '', values: [] };
    await using session = openPool({
      url: database.url,
      role: 'weir_observations_query_tenant',
      max: 1,
      settings: { ...fixedPlans, 'weir.project_id': '*' },
    });
    const { rows } = await session.query({ text: `explain ${text}`, values });
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Scan using series_instrument_id_idx');
  });
});

test('is ready when the database is', async () => {
  expect(await isServing(query.address)).toBe(true);
});

test('a query that takes too long is query_too_large', async () => {
  await using slow = await startTestQuery(database.url, { databasePoolMax: 1, statementTimeoutMs: 200 });
  using slowClient = connect(ObservationsServiceDefinition, slow.address);
  const blocked = admin.transaction(async (tx) => {
    await tx.query(sql`lock table observations.observations in access exclusive mode`);
    return await slowClient
      .listObservations({ projectId, variableKeys: [1], limit: 1, descending: false })
      .catch((error: WeirError) => error);
  });
  expect(await blocked).toMatchObject({ code: 'query_too_large' });
});
