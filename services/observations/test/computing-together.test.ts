import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@weir/kit/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { lockProject } from '../src/store/project-locks.js';
import { type ComputingBench, computingBench, type Entry, series } from './computing-bench.js';
import { runId } from './test-calculations.js';
import { projectId } from './test-points.js';

let bench: ComputingBench;
beforeAll(async () => {
  bench = await computingBench();
});
afterAll(() => bench[Symbol.asyncDispose]());
beforeEach(() => bench.forget());

const x = { key: 1 };
const y = { key: 2 };
const all = [[-1_000_000, 10_000_000]] as const;
const sumOf = (version: number, factor: number) => ({
  key: 101,
  version,
  pieces: [{ expression: `${factor} * (x + y)`, inputs: { x, y } }],
});
const chained = { key: 102, pieces: [{ expression: 'a + previous(a)', inputs: { a: { key: 101 } } }] };
/** What the chain has where both inputs are there. */
const expected = (entries: readonly Entry[]): Entry[] =>
  entries.slice(1).map(([minute, value], i) => [minute, value + (entries[i] as Entry)[1]]);

/** Ends a few connections of those who compute, at any moment, as a crash would; while there is something to compute. */
async function crash(times: number): Promise<void> {
  for (let crashes = 0, isBusy = true; crashes < times && isBusy; ) {
    const { rows } = await bench.admin.query(sql`
      select exists (select from observations.dirty) as is_busy, (
        select count(pg_terminate_backend(pid))::int from (
          select pid from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle' and query like '%observations%'
          order by random() limit 1
        ) as one
      ) as ended`);
    isBusy = rows[0]?.['is_busy'] === true;
    crashes += rows[0]?.['ended'] as number;
  }
}

describe('several that compute', () => {
  test('each see what the other one brings: no result is missing, and none is stale', async () => {
    await bench.install(sumOf(1, 1));
    await bench.install(chained);
    await using one = bench.start();
    await using other = bench.start();
    const bring = async (computing: typeof one, key: number): Promise<void> => {
      for (let minute = 0; minute < 60; minute += 5) {
        await bench.write(
          key,
          series(minute, minute + 5, (t) => t * key),
        );
        // a correction of what may be computed at this moment
        await bench.write(key, [[minute, minute * key + 0.5]]);
        await computing.computeLive();
      }
    };
    await Promise.all([bring(one, 1), bring(other, 2)]);
    await bench.drained();
    const sums = series(0, 60, (t) => 3 * t + (t % 5 === 0 ? 1 : 0));
    expect(await bench.stored(101)).toEqual(sums);
    expect(await bench.stored(102)).toEqual(expected(sums));
  });

  test('count each instant once, also where they lose their connections', async () => {
    await bench.write(1, series(0, 300));
    await bench.write(2, series(0, 300));
    await bench.install(sumOf(1, 2), { run: runId(1), changes: 2, ranges: all });
    await bench.install(chained, { run: runId(1), changes: 2, ranges: all });
    await using one = bench.start({ sliceInstantsMax: 40, recalculationWorkers: 2 });
    await using other = bench.start({ sliceInstantsMax: 25, recalculationWorkers: 2 });
    one.wake();
    other.wake();
    while (bench.computed.length === 0) await bench.admin.query(sql`select`);
    await crash(4);
    await bench.drained();
    const sums = series(0, 300, (t) => 4 * t);
    expect(await bench.stored(101)).toEqual(sums);
    expect(await bench.stored(102)).toEqual(expected(sums));
    expect(await bench.run(runId(1))).toEqual({ instants: 600, ranges: 2, skipped: 0, missing: { missing_input: 1 } });
    expect(bench.failures).toEqual([]);
  });
});

describe('while a recalculation runs', () => {
  /** Waits until a slice is stored. */
  const begun = async (): Promise<void> => {
    while (bench.computed.length === 0) await bench.admin.query(sql`select`);
  };

  test('a newer definition takes over; no older value stands after it', async () => {
    await bench.write(1, series(0, 500));
    await bench.write(2, series(0, 500));
    await bench.install(sumOf(1, 1), { run: runId(1), ranges: [[0, 500]] });
    await bench.install(chained);
    await using computing = bench.start({ sliceInstantsMax: 20 });
    computing.wake();
    await begun();
    await bench.install(sumOf(2, 10), { run: runId(2), ranges: [[100, 500]] });
    await bench.install(sumOf(3, 100), { run: runId(3), ranges: [[200, 500]] });
    computing.wake();
    await bench.drained();
    // what is in no newer range keeps the definition that is in force when it is computed
    const values = await bench.stored(101);
    const factors = values.map(([t, value]) => (t === 0 ? 0 : value / (2 * t)));
    expect(factors.slice(200)).toEqual(Array.from({ length: 300 }, () => 100));
    expect(factors.slice(100, 200).every((factor) => factor >= 10)).toBe(true);
    expect(await bench.stored(102)).toEqual(expected(values));
    const counts = await Promise.all([1, 2, 3].map((number) => bench.run(runId(number))));
    expect(counts.map(({ ranges, skipped }) => ranges + skipped)).toEqual([1, 1, 1]);
  });

  test('cancelling it leaves the rest marked, and a newer one computes that', async () => {
    await bench.write(1, series(0, 500));
    await bench.write(2, series(0, 500));
    await bench.install(sumOf(1, 1), { run: runId(1), ranges: [[0, 500]] });
    await using computing = bench.start({ sliceInstantsMax: 20 });
    computing.wake();
    await begun();
    await bench.cancel(runId(1));
    const { instants } = await bench.run(runId(1));
    expect(instants).toBeLessThan(500);
    await bench.drained();
    expect(await bench.stored(101)).toHaveLength(instants);
    const { rows } = await bench.admin.query(sql`select lane, upper(ranges) as until from observations.dirty`);
    expect(rows).toEqual([{ lane: 2, until: 500 * 60_000_000 }]);
    await bench.install(sumOf(2, 1), { run: runId(2), ranges: [[0, 500]] });
    computing.wake();
    await bench.drained([0, 1, 2]);
    expect(await bench.stored(101)).toEqual(series(0, 500, (t) => 2 * t));
  });

  test('says how many instants it has, known when it has begun', async () => {
    await bench.write(1, series(0, 300));
    await bench.write(2, series(200, 400));
    const total = async (): Promise<unknown> => {
      const { rows } = await bench.admin.query(sql`
        select instants_done + coalesce((select sum(instants) from observations.dirty), 0) as total
        from observations.recalculations`);
      return rows[0]?.['total'];
    };
    await bench.install(sumOf(1, 1), {
      run: runId(1),
      ranges: [
        [0, 100],
        [150, 1000],
      ],
    });
    await using computing = bench.start({ sliceInstantsMax: 20 });
    computing.wake();
    await begun();
    await bench.cancel(runId(1));
    expect(await total()).toBe(100 + 250);
  });
});

describe('what cannot be computed', () => {
  test('is put aside after five attempts, and its recalculation fails; all others are computed', async () => {
    // stands for a fault of ours
    await bench.admin.query(sql`
      create function observations.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'no results today'; end $$`);
    await bench.admin.query(sql`
      create trigger refuse before insert on observations.observations
      for each row when (new.variable_key = 101) execute function observations.refuse()`);
    await bench.write(1, series(0, 10));
    await bench.write(2, series(0, 10));
    await bench.install(sumOf(1, 1), { run: runId(1), changes: 2, ranges: all });
    await bench.install(chained, { run: runId(1), changes: 2, ranges: all });
    await bench.install({ key: 105, pieces: [{ expression: 'x', inputs: { x } }] }, { run: runId(2), ranges: all });
    await using computing = bench.start();
    computing.wake();
    await bench.drained();
    const { rows } = await bench.admin.query(
      sql`select state, error_code from observations.recalculations order by run_id`,
    );
    expect(rows).toEqual([
      { state: 'failed', error_code: 'processing_error' },
      { state: 'running', error_code: null },
    ]);
    expect(bench.failures.map(({ isGivenUp }) => isGivenUp)).toEqual([false, false, false, false, true]);
    expect(bench.failures.at(-1)).toMatchObject({ variableId: expect.stringMatching(/65$/) });
    expect(await bench.stored(105)).toHaveLength(10);
    // live points beside it
    await bench.write(1, [[20, 1]]);
    await bench.write(2, [[20, 1]]);
    await computing.computeLive();
    await bench.drained();
    expect(await bench.stored(105)).toHaveLength(11);
    await bench.admin.query(sql`drop trigger refuse on observations.observations`);
    await bench.install(sumOf(2, 1), { run: runId(3), ranges: all });
    computing.wake();
    await bench.drained();
    expect(await bench.stored(101)).toHaveLength(11);
  });

  test('of a chain is made up for by computing again what it is computed from, whose values stay', async () => {
    await bench.admin.query(sql`
      create trigger refuse before insert on observations.observations
      for each row when (new.variable_key = 102) execute function observations.refuse()`);
    await bench.install(sumOf(1, 1));
    await bench.install(chained);
    await bench.install({ key: 103, pieces: [{ expression: 'b', inputs: { b: { key: 102 } } }] });
    await bench.write(1, series(0, 10));
    await bench.write(2, series(0, 10));
    await using computing = bench.start();
    await bench.install(sumOf(2, 2), { run: runId(1), ranges: all });
    computing.wake();
    await computing.computeLive();
    await bench.drained();
    expect(await bench.stored(101)).toHaveLength(10);
    expect(await bench.stored(102)).toEqual([]);
    await bench.admin.query(sql`drop trigger refuse on observations.observations`);
    await bench.install(sumOf(3, 2), { run: runId(2), ranges: all });
    computing.wake();
    await bench.drained();
    const sums = series(0, 10, (minute) => 4 * minute);
    expect(await bench.stored(102)).toEqual(expected(sums));
    expect(await bench.stored(103)).toEqual(expected(sums));
    expect((await bench.run(runId(2))).instants).toBe(10 + 10 + 9);
  });

  test('as its expression is none is counted on its run and told with its variable; the pieces beside it are computed', async () => {
    await bench.write(1, series(0, 10));
    const pieces = [
      { expression: 'x', inputs: { x } },
      { start: 3, expression: 'x !', inputs: { x, y: { ...y, buffer: 5 } } },
      { start: 7, expression: '2 * x', inputs: { x } },
    ];
    await bench.install({ key: 101, pieces: [pieces[0] as (typeof pieces)[0]] }, { run: runId(1), ranges: all });
    await using computing = bench.start();
    computing.wake();
    await bench.drained();
    expect(await bench.stored(101)).toEqual(series(0, 10));
    await bench.install({ key: 101, version: 2, pieces }, { run: runId(2), ranges: all });
    computing.wake();
    await bench.drained();
    expect(await bench.stored(101)).toEqual([...series(0, 3), ...series(7, 10, (minute) => 2 * minute)]);
    expect(await bench.run(runId(2))).toMatchObject({ instants: 10, missing: { invalid_expression: 4 } });
    expect(bench.invalid).toEqual([
      { projectId: expect.any(String), variableId: expect.stringMatching(/65$/), expressions: ['x !'] },
    ]);
  });
});

test('whoever brings more waits for a round that stands still', async () => {
  await bench.install({ key: 101, pieces: [{ expression: '2 * x', inputs: { x } }] });
  await bench.write(1, series(0, 5));
  await using started = new AsyncDisposableStack();
  let hasBegun = false;
  const { all } = await bench.pool.transaction(async (tx) => {
    await lockProject.run(tx, { projectId });
    const computing = started.use(bench.start());
    const first = computing.computeLive();
    const standing = sql`
      select from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
    while ((await bench.admin.query(standing)).rows.length === 0) await delay(5);
    const second = computing.computeLive().then(() => {
      hasBegun = true;
    });
    // what would let it begin needs no longer than this
    await delay(200);
    expect(hasBegun).toBe(false);
    return { all: Promise.all([first, second]) };
  });
  await all;
  await bench.drained([0]);
  expect(await bench.stored(101)).toEqual(series(0, 5, (t) => 2 * t));
});
