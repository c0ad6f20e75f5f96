import { type Pool, sql } from '@weir/kit/sql';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { arrangeRows, type Rows } from '../src/domain/arrange-rows.js';
import { SeriesMemory } from '../src/stream/series-memory.js';
import { writeRows } from '../src/stream/write-rows.js';
import { openTestPools, type TestPools } from './test-servers.js';

type Row = readonly [variableKey: number, atUs: number, value: number, admitted: number];

let pools: TestPools;
let pool: Pool;
let admin: Pool;
beforeAll(async () => {
  pools = await openTestPools();
  ({ pool, admin } = pools);
});
afterAll(() => pools[Symbol.asyncDispose]());
const truncate = () =>
  admin.query(sql`
    truncate observations.observations, observations.series, observations.calculations, observations.readers,
      observations.rollup_states`);
beforeEach(truncate);

/** The rows of some values, as a settlement arranges them. */
function toRows(values: readonly Row[]): Rows {
  const variableKeys = [...new Set(values.map(([key]) => key))];
  return arrangeRows({
    count: values.length,
    variableKeys,
    slots: Uint32Array.from(values, ([key]) => variableKeys.indexOf(key)),
    instantsUs: Float64Array.from(values, ([, atUs]) => atUs),
    values: Float64Array.from(values, ([, , value]) => value),
    admitted: Float64Array.from(values, ([, , , admitted]) => admitted),
  }).rows;
}

const projectId = '01920000-0000-7000-8000-000000000000';
const instrumentId = '01920000-0000-7000-8000-0000000000aa';

async function write(memory: SeriesMemory, values: readonly Row[], mayBeStored = false): Promise<Row[]> {
  const rows = toRows(values);
  await memory.ensure(
    pool,
    [...new Set(rows.variableKeys)].map((variableKey) => ({ variableKey, projectId, instrumentId, generation: 1 })),
  );
  const { superseded } = await writeRows({ pool, memory, projectIds: [projectId], mayBeStored }, rows);
  return superseded.map((row) => [
    rows.variableKeys[row] as number,
    rows.instantsUs[row] as number,
    rows.values[row] as number,
    rows.admitted[row] as number,
  ]);
}

async function stored(): Promise<Row[]> {
  const { rows } = await admin.query(
    sql`select variable_key, at, value, admitted from observations.observations order by variable_key, at`,
  );
  return rows.map((row) => ['variable_key', 'at', 'value', 'admitted'].map((column) => row[column]) as unknown as Row);
}

async function lastInstants(): Promise<Record<string, number>> {
  const { rows } = await admin.query(sql`select variable_key, last_at from observations.series`);
  return Object.fromEntries(rows.map((row) => [row['variable_key'], row['last_at']]));
}

/** What must stand in the end, whatever the order of writing. */
function model(values: readonly Row[]): { rows: Row[]; last: Record<string, number> } {
  const byPlace = new Map<string, Row>();
  const last: Record<string, number> = {};
  for (const row of values) {
    const place = `${row[0]}/${row[1]}`;
    const before = byPlace.get(place);
    if (before === undefined || before[3] < row[3]) byPlace.set(place, row);
    last[row[0]] = Math.max(last[row[0]] ?? Number.NEGATIVE_INFINITY, row[1]);
  }
  return { rows: [...byPlace.values()].sort((a, b) => a[0] - b[0] || a[1] - b[1]), last };
}

const many = (key: number, fromUs: number, count: number, admitted: number, value = 1): Row[] =>
  Array.from({ length: count }, (_, i) => [key, fromUs + i * 1000, value + i, admitted + i]);

describe('writeRows', () => {
  test('copied or upserted, the table is the same, to the microsecond and at both ends of time', async () => {
    const values: Row[] = [
      [3, observationInstantMinUs, 1e300, 1],
      [3, -1, -1.5, 2],
      [3, 0, Number.MIN_VALUE, 3],
      [3, observationInstantEndUs - 1, 0.1 + 0.2, 2 ** 52],
      ...many(1, Date.UTC(1999, 11, 31, 23, 59, 59, 990) * 1000, 100, 5),
      ...many(2 ** 40, Date.UTC(2026, 0, 1) * 1000 + 1, 100, 200),
    ];
    const expected = model(values);
    expect(await write(new SeriesMemory(), values)).toEqual([]);
    expect(await stored()).toEqual(expected.rows);
    expect(await lastInstants()).toEqual(expected.last);
    await truncate();
    expect(await write(new SeriesMemory(), values, true)).toEqual([]);
    expect(await stored()).toEqual(expected.rows);
    expect(await lastInstants()).toEqual(expected.last);
  });

  test('a copy that meets a row is an upsert: later admissions stand, and the losers are told', async () => {
    const start = Date.UTC(2026, 1, 1) * 1000;
    await write(new SeriesMemory(), many(1, start, 100, 1000));
    // a processor that knows nothing of the first write, since the series was made before it
    const memory = new SeriesMemory();
    await admin.query(sql`update observations.series set last_at = null`);
    const earlier = many(1, start, 200, 950, 7);
    const superseded = await write(memory, earlier);
    expect(superseded).toEqual(earlier.slice(0, 100));
    expect(await stored()).toEqual(model([...many(1, start, 100, 1000), ...earlier]).rows);
    expect(await lastInstants()).toEqual({ 1: start + 199_000 });
    expect(await write(memory, many(1, start, 200, 5000, 9))).toEqual([]);
    expect((await stored()).map(([, , , admitted]) => admitted)).toEqual(
      many(1, start, 200, 5000).map((row) => row[3]),
    );
  });

  test.each([
    ['copied', false],
    ['upserted', true],
  ])('rows that are %s stay unwritten when they are not permitted', async (_, mayBeStored) => {
    const memory = new SeriesMemory();
    const rows = toRows(many(1, Date.UTC(2026, 1, 1) * 1000, 100, 1000));
    await memory.ensure(pool, [{ variableKey: 1, projectId, instrumentId, generation: 1 }]);
    const permit = () => Promise.reject(new Error('not any more'));
    const writing = writeRows({ pool, memory, projectIds: [projectId], mayBeStored, permit }, rows);
    await expect(writing).rejects.toThrow('not any more');
    expect(await stored()).toEqual([]);
    expect(await lastInstants()).toEqual({ 1: null });
  });

  test('series are made once by many at the same time', async () => {
    const series = (round: number) =>
      Array.from({ length: 20 }, (_, i) => ({
        variableKey: round * 20 + i + 1,
        projectId,
        instrumentId,
        generation: 1,
      }));
    for (let round = 0; round < 60; round++)
      await Promise.all(Array.from({ length: 4 }, () => new SeriesMemory().ensure(pool, series(round))));
    const { rows } = await admin.query(sql`select count(*) as count from observations.series`);
    expect(rows).toEqual([{ count: 1200 }]);
  });

  test('late rows are upserted while fresh ones are copied', async () => {
    const memory = new SeriesMemory();
    const start = Date.UTC(2026, 1, 1) * 1000;
    const first = many(1, start, 100, 1000);
    await write(memory, first);
    const second = [
      ...many(1, start - 1_000_000, 10, 2000),
      ...many(1, start + 100_000, 100, 3000),
      ...many(1, start, 5, 10),
    ];
    expect(await write(memory, second)).toEqual(many(1, start, 5, 10));
    expect(await stored()).toEqual(model([...first, ...second]).rows);
  });

  test('late rows are copied where nothing of their series is, and upserted where one is or comes meanwhile', async () => {
    const memory = new SeriesMemory();
    const start = Date.UTC(2026, 1, 1) * 1000;
    const first = [...many(1, start, 100, 1000), ...many(2, start, 100, 1200), ...many(1, start + 900_000, 100, 1400)];
    await write(memory, first);
    const late = [
      ...many(1, start + 200_000, 100, 2000),
      ...many(1, start + 1_000_000, 100, 2100),
      ...many(2, start - 50_000, 100, 2200),
    ];
    await admin.query(sql`truncate observations.changes`);
    expect(await write(memory, late)).toEqual([]);
    expect(await stored()).toEqual(model([...first, ...late]).rows);
    // what lies between late and new ones has not changed
    const { rows } = await admin.query(
      sql`select first_at, last_at from observations.changes order by variable_key, first_at`,
    );
    expect(
      rows.map(({ first_at: firstUs, last_at: lastUs }) => [Number(firstUs) - start, Number(lastUs) - start]),
    ).toEqual([
      [200_000, 299_000],
      [1_000_000, 1_099_000],
      [-50_000, 49_000],
    ]);
    // two writers, each of whom finds nothing there
    const both = [3000, 4000].map((admitted) => many(3, start - 900_000, 100, admitted, admitted));
    await write(memory, many(3, start, 100, 2600));
    await Promise.all(both.map((rows) => write(memory, rows)));
    expect((await stored()).filter(([key, atUs]) => key === 3 && atUs < start)).toEqual(both[1]);
  });

  test('what ends between its parts is made whole when it comes again', async () => {
    const memory = new SeriesMemory();
    const start = Date.UTC(2026, 1, 1) * 1000;
    await write(memory, many(1, start, 100, 1000));
    const both = [...many(1, start - 900_000, 100, 2000), ...many(1, start + 900_000, 100, 3000)];
    let parts = 0;
    const ending: Pool = {
      ...pool,
      transaction: (work) => (parts++ === 0 ? pool.transaction(work) : Promise.reject(new Error('killed'))),
    };
    const writing = { pool: ending, memory, projectIds: [projectId], mayBeStored: false };
    await expect(writeRows(writing, toRows(both))).rejects.toThrow('killed');
    expect(await stored()).toHaveLength(200);
    expect(await write(new SeriesMemory(), both, true)).toEqual([]);
    expect(await stored()).toEqual(model([...many(1, start, 100, 1000), ...both]).rows);
  });

  test('the same rows again change nothing and have not lost', async () => {
    const memory = new SeriesMemory();
    const values = many(1, 0, 100, 1000);
    await write(memory, values);
    expect(await write(memory, values, true)).toEqual([]);
    expect(await write(new SeriesMemory(), values)).toEqual([]);
    expect(await stored()).toEqual(model(values).rows);
  });

  test('an equal value advances the stamp, so that one admitted in between still loses', async () => {
    const memory = new SeriesMemory();
    await write(memory, [[1, 0, 5, 10]]);
    await write(memory, [[1, 0, 5, 30]]);
    expect(await write(memory, [[1, 0, 6, 20]])).toEqual([[1, 0, 6, 20]]);
    expect(await stored()).toEqual([[1, 0, 5, 30]]);
  });

  test('writers at the same time, shuffled and doubled: the last admission stands, without a deadlock', async () => {
    const shuffled = fc.sample(
      fc.shuffledSubarray(
        Array.from({ length: 6000 }, (_, i): Row => [1 + (i % 7), Math.floor((i % 1500) / 7) * 1000, i, i]),
        { minLength: 6000 },
      ),
      { numRuns: 1, seed: 1 },
    )[0] as Row[];
    await Promise.all(
      [0, 1, 2, 3].map(async (writer) => {
        const memory = new SeriesMemory();
        // overlapping slices: every value is written by two writers
        for (let i = 0; i < 6000; i += 300) {
          const from = (i + writer * 1500) % 6000;
          if (writer % 2 === 0 || i % 600 === 0) await write(memory, shuffled.slice(from, from + 600));
        }
      }),
    );
    const expected = model(shuffled);
    expect(await stored()).toEqual(expected.rows);
    expect(await lastInstants()).toEqual(expected.last);
    const { rows } = await admin.query(sql`select deadlocks from pg_stat_database where datname = current_database()`);
    expect(rows[0]?.['deadlocks']).toBe(0);
  });
});
