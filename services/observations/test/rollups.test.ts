import type { StartedService } from '@weir/kit/lifecycle';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { declaredStatements, openPool, type Pool, type Sql, sql, sqlInstant } from '@weir/kit/sql';
import type { TestDatabase } from '@weir/kit/testing';
import { parseInstant } from '@weir/kit/time';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MakingWay } from '../src/compute/making-way.js';
import { rollupRounds } from '../src/rollups.js';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { type Ask, aggregate, type Observation } from './aggregate-model.js';
import { asks, dayUs, endUs, hourUs, minuteUs, startUs, writes } from './rollup-asks.js';
import { write } from './rollup-writes.js';
import { projectId } from './test-points.js';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

let database: TestDatabase;
let admin: Pool;
let processor: Pool;
let query: StartedService;
let client: RpcClient<typeof ObservationsServiceDefinition>;
/** What is stored, by variable: one with many observations, one with values at the edge of doubles, one with few. */
const data = new Map<number, Map<number, number>>([1, 2, 3].map((key) => [key, new Map()]));

async function store(variableKey: number, rows: readonly Observation[]): Promise<void> {
  await processor.transaction((tx) => write(tx, variableKey, rows));
  for (const [at, value] of rows) data.get(variableKey)?.set(at, value);
}

const rowsOf = (key: number): Observation[] => [...(data.get(key) ?? [])].sort(([a], [b]) => a - b);
let rounds: (signal: AbortSignal) => Promise<void>;
const round = () => rounds(new AbortController().signal);

beforeAll(async () => {
  database = await testDatabase();
  admin = openPool({ url: database.url, max: 1 });
  processor = openPool({ url: database.url, role: 'weir_observations', max: 3, settings: fixedPlans });
  rounds = rollupRounds(processor);
  query = await startTestQuery(database.url);
  client = connect(ObservationsServiceDefinition, query.address);
  for (const key of data.keys()) {
    const lastUs = key === 3 ? endUs - hourUs : endUs - minuteUs;
    await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation, last_at)
      values (${key}, ${projectId}, ${projectId}, 1, ${sqlInstant(lastUs)})`);
  }
  const minutes = Array.from({ length: 6 * 1440 }, (_, i) => startUs + i * minuteUs).filter(
    (at) => Math.floor(at / (7 * hourUs)) % 5 !== 0 && at % (17 * minuteUs) !== 0,
  );
  const value = (at: number): number => Math.sin(at / hourUs) * 100 + ((at / minuteUs) % 7);
  await store(
    1,
    minutes.map((at) => [at, value(at)]),
  );
  await store(
    2,
    minutes.map((at, i) => [at, i % 2000 === 0 ? 1e308 : i % 2000 === 1 ? -1e307 : value(at)]),
  );
  await store(
    3,
    minutes.filter((_, i) => i % 60 === 0).map((at) => [at, value(at)]),
  );
});
afterAll(async () => {
  client[Symbol.dispose]();
  await query[Symbol.asyncDispose]();
  await processor[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** Reads buckets of variables and checks each against the reference: numbers to a billionth, all else exactly. */
async function check(ask: Omit<Ask, 'fill'>, names: readonly string[]): Promise<void> {
  const { unit, count, timezone } = ask;
  const { series } = await client.aggregateObservations({
    projectId,
    series: [1, 2, 3].map((variableKey) => ({ variableKey })),
    interval: unit === 'us' ? `PT${count / minuteUs}M` : `P${count}${unit === 'day' ? 'D' : 'M'}`,
    startUs: ask.startUs,
    endUs: ask.endUs,
    timezone,
    functions: [...names],
    fill: 'none',
    limit: 10_000,
  });
  for (const [i, { columns }] of series.entries()) {
    const expected = aggregate(rowsOf(i + 1), names, { ...ask, fill: 'none' });
    for (const { name, json } of columns) {
      const read = (JSON.parse(json) as unknown[]).map((each) =>
        typeof each === 'string' ? parseInstant(each) : each,
      );
      const wanted = (expected[name] ?? []).map((each, at) => {
        const found = read[at];
        // what lies within the tolerance stands for what is expected
        const isNear =
          typeof each === 'number' &&
          typeof found === 'number' &&
          Math.abs(each - found) <= 1e-9 * Math.max(Math.abs(each), 1);
        return isNear && ['mean', 'sum', 'time_weighted_mean'].includes(name) ? found : each;
      });
      expect([i + 1, name, read]).toEqual([i + 1, name, wanted]);
    }
  }
}

async function counted(): Promise<number> {
  const { rows } = await admin.query(sql`select count(*)::int as count from observations.rollups`);
  return rows[0]?.['count'] as number;
}

describe('rollups', () => {
  test('are made of series with many observations alone', async () => {
    await round();
    const { rows } = await admin.query(sql`select variable_key, sum(count)::int as count from observations.rollups
      where length_s = 3600 group by 1 order by 1`);
    expect(rows.map((row) => [row['variable_key'], row['count']])).toEqual(
      [1, 2].map((key) => [key, data.get(key)?.size]),
    );
  });

  test('of a series that has many only after it was found to have few are made without a further change', async () => {
    let clockUs = endUs;
    const later = rollupRounds(processor, undefined, () => clockUs);
    const rolledUp = async () =>
      (await admin.query(sql`select from observations.rollup_states where variable_key = 4`)).rows.length;
    await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation)
      values (4, ${projectId}, ${projectId}, 1)`);
    const values = (from: number, to: number): Observation[] =>
      Array.from({ length: to - from }, (_, i) => [startUs + (from + i) * 1_000_000, i]);
    const add = async (rows: readonly Observation[]) => {
      await processor.transaction((tx) => write(tx, 4, rows));
      await admin.query(sql`update observations.series set last_at = ${sqlInstant(rows.at(-1)?.[0])}::timestamptz
        where variable_key = 4`);
    };
    await add(values(0, 5));
    await later(new AbortController().signal);
    await add(values(5, 8000));
    await later(new AbortController().signal);
    expect(await rolledUp()).toBe(0);
    clockUs += 11 * minuteUs;
    await later(new AbortController().signal);
    expect(await rolledUp()).toBe(1);
  });

  test('answer as the observations would, whatever is written, made and asked in between', async () => {
    await fc.assert(
      fc.asyncProperty(
        writes,
        fc.boolean(),
        asks,
        async (written, isRound, { interval, fromUs, lengthUs, functions: names, timezone }) => {
          for (const { key, rows } of written) await store(key, rows);
          if (isRound) await round();
          await check({ ...interval, timezone, startUs: fromUs, endUs: fromUs + lengthUs }, names);
        },
      ),
      { numRuns: 40, seed: 6 },
    );
  }, 60_000);

  test('make sums that are near by the magnitude of what is added, and the same whatever else is asked', async () => {
    await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation, last_at)
      values (5, ${projectId}, ${projectId}, 1, ${sqlInstant(endUs - minuteUs)})`);
    const rows = Array.from({ length: 2880 }, (_, i): Observation => {
      return [endUs - 2 * dayUs + i * minuteUs, [1e15, 0.1, -1e15, 1 / 3, 0.7, 3e14, -3e14][i % 7] as number];
    });
    await processor.transaction((tx) => write(tx, 5, rows));
    await round();
    // begins and ends within an hour, where it is read from rows
    const range = { startUs: endUs - 2 * dayUs + 7 * minuteUs, endUs: endUs - 18 * minuteUs };
    const asked = { projectId, series: [{ variableKey: 5 }], interval: 'P1M', timezone: 'UTC', fill: 'none', limit: 1 };
    const read = async (...names: string[]): Promise<number> => {
      const { series } = await client.aggregateObservations({ ...asked, ...range, functions: names });
      return JSON.parse(series[0]?.columns[2]?.json ?? '')[0];
    };
    const sum = await read('sum');
    expect(await read('sum', 'first')).toBe(sum);
    const inRange = rows.filter(([at]) => at >= range.startUs && at < range.endUs).map(([, value]) => value);
    const [ofRows, magnitude] = [inRange, inRange.map(Math.abs)].map((all) => all.reduce((a, b) => a + b, 0));
    expect(Math.abs(sum - (ofRows as number))).toBeLessThanOrEqual(1e-9 * (magnitude as number));
    // the rows alone give another one: which of them is told depends on what has been made
    expect(sum).not.toBe(ofRows);
  });

  test('hold nothing of a transaction that was not over when they were made, and are not asked for its range', async () => {
    const at = startUs + 2 * dayUs + 30 * minuteUs;
    await round();
    await processor.transaction(async (tx) => {
      await write(tx, 1, [[at, 4321]]);
      // others write and end meanwhile, so that rollups are made anew, around it too
      await store(1, [
        [at + hourUs, 1234],
        [at - minuteUs, 77],
      ]);
      await round();
      await check({ unit: 'day', count: 1, timezone: 'UTC', startUs, endUs }, ['max', 'sum', 'count']);
    });
    data.get(1)?.set(at, 4321);
    await check({ unit: 'day', count: 1, timezone: 'UTC', startUs, endUs }, ['max', 'sum', 'count']);
    await round();
    await check({ unit: 'day', count: 1, timezone: 'UTC', startUs, endUs }, ['max', 'sum', 'count']);
  });

  test('that were brought from another database, or whose changes are forgotten, are made anew before they count', async () => {
    for (const snapshot of ['9007199254740990:9007199254740991:', '1:2:']) {
      await admin.query(sql`update observations.rollups set maximum = 1e6 where variable_key = 1`);
      await admin.query(sql`update observations.rollup_states set snapshot = ${snapshot}::pg_snapshot`);
      await check({ unit: 'day', count: 1, timezone: 'UTC', startUs, endUs }, ['max', 'mean']);
      await rollupRounds(processor)(new AbortController().signal);
      const { rows } = await admin.query(
        sql`select max(maximum) < 1e6 as is_made from observations.rollups where variable_key = 1`,
      );
      expect(rows[0]?.['is_made']).toBe(true);
      await check({ unit: 'day', count: 1, timezone: 'UTC', startUs, endUs }, ['max', 'mean']);
    }
  });

  test('are what is read', async () => {
    await admin.query(sql`update observations.rollups set maximum = 1e6 where variable_key = 1 and length_s = 3600`);
    const read = () =>
      client.aggregateObservations({
        projectId,
        series: [{ variableKey: 1 }],
        interval: 'P1D',
        startUs,
        endUs,
        timezone: 'UTC',
        functions: ['max'],
        fill: 'none',
        limit: 10,
      });
    expect((await read()).series[0]?.columns[2]?.json).toContain('1000000');
  });

  test('are read range by range, and so are the observations beside them', async () => {
    const edgesUs = Float64Array.of(startUs, endUs);
    const wanted = { ends: false, minAt: false, maxAt: false, stddev: false, percentiles: false, steps: false };
    const args = { projectId, variableKeys: [1], startUs, endUs, wanted, edgesUs, widthUs: endUs - startUs };
    const built = (declaredStatements as ((args: object) => Sql)[])
      .filter((build) => build.toString().includes('rolled_ranges'))
      .map((build) => build({ ...args, lengthUs: hourUs, wholeStartUs: startUs, wholeEndUs: endUs }));
    expect(built).toHaveLength(2);
    for (const { text, values } of built) {
      await using session = openPool({
        url: database.url,
        role: 'weir_observations_query_tenant',
        max: 1,
        settings: { ...fixedPlans, 'weir.project_id': '*' },
      });
      const { rows } = await session.query({ text: `explain ${text}`, values });
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Cond: .*start_at >= lower\(range.*start_at < upper\(range/);
      expect(plan).toMatch(/Index Cond: .*\(at >= lower\(range.*\(at < upper\(range/);
    }
  });

  test('are made in parts, each of which makes way for points', async () => {
    const makingWay = new MakingWay();
    const during = vi.spyOn(makingWay, 'during');
    await admin.query(sql`delete from observations.rollup_states where variable_key = 1`);
    await rollupRounds(processor, makingWay)(new AbortController().signal);
    // more than one page
    expect(during.mock.calls.length).toBeGreaterThan(1);
    expect(new Set(during.mock.calls.map(([, , rests]) => rests))).toEqual(new Set([4]));
    await check({ unit: 'day', count: 1, timezone: 'UTC', startUs, endUs }, ['max', 'sum', 'count']);
  });

  test('are made by one process at a time', async () => {
    await store(1, [[startUs + hourUs, 5]]);
    const before = await counted();
    await processor.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(7374626572)`);
      await rollupRounds(processor)(new AbortController().signal);
    });
    expect(await counted()).toBe(before);
  });
});
