import { type Pool, sql } from '@weir/kit/sql';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { takeOverChanges } from '../src/compute/take-over.js';
import type { Rows } from '../src/domain/arrange-rows.js';
import { readersOf } from '../src/store/mark-readers.js';
import { toRowColumns, upsertObservations } from '../src/store/observations.js';
import { shareProjects } from '../src/store/project-locks.js';
import { SeriesMemory } from '../src/stream/series-memory.js';
import { writeRows } from '../src/stream/write-rows.js';
import {
  calculationChange,
  forgetCalculations,
  instrumentId,
  minutes,
  minuteUs,
  runId,
  storedMarks,
  storedRun,
} from './test-calculations.js';
import { projectId } from './test-points.js';
import { openTestPools, type TestPools } from './test-servers.js';

let pools: TestPools;
let pool: Pool;
let admin: Pool;
beforeAll(async () => {
  pools = await openTestPools();
  ({ pool, admin } = pools);
});
afterAll(() => pools[Symbol.asyncDispose]());
beforeEach(async () => {
  await forgetCalculations(admin);
});

const takeOver = (...changes: ReturnType<typeof calculationChange>[]) => takeOverChanges(pool, projectId, changes);

function oneRow(variableKey: number, atUs: number): Rows {
  const [variableKeys, instantsUs] = [Float64Array.of(variableKey), Float64Array.of(atUs)];
  return { count: 1, variableKeys, instantsUs, values: Float64Array.of(1), admitted: Float64Array.of(1) };
}

/** Waits until so many connections wait for a project. */
async function waiting(count: number): Promise<void> {
  for (let found = 0; found < count; ) {
    const { rows } = await admin.query(sql`
      select count(*)::int as found from pg_locks
      where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())`);
    found = rows[0]?.['found'] as number;
  }
}

async function edges(): Promise<unknown[][]> {
  const { rows } = await admin.query(sql`select input_key, reader_key from observations.readers order by 1, 2`);
  return rows.map((row) => [row['input_key'], row['reader_key']]);
}

async function versions(): Promise<unknown[][]> {
  const { rows } = await admin.query(sql`
    select variable_key, version, definition #>> '{pieces,0,expression}' as expression
    from observations.calculations order by 1`);
  return rows.map((row) => [row['variable_key'], row['version'], row['expression']]);
}

describe('taking over', () => {
  test('puts a definition in force, with its series, its readers and what is to be computed', async () => {
    const change = calculationChange(
      { variableKey: 7, inputs: { a: 1, b: 2 } },
      { runId: runId(1), runChanges: 2, ranges: minutes([0, 10], [20, 30]) },
    );
    expect(await takeOver(change)).toBe(1);
    expect(await versions()).toEqual([[7, 1, '2 * a + 2 * b']]);
    expect(await edges()).toEqual([
      [1, 7],
      [2, 7],
    ]);
    expect(await storedMarks(admin)).toEqual([
      { key: 7, lane: 1, run: runId(1), ranges: [[0, 10]] },
      { key: 7, lane: 1, run: runId(1), ranges: [[20, 30]] },
    ]);
    expect(await storedRun(admin, runId(1))).toMatchObject({
      state: 'running',
      changes_total: 2,
      changes_taken: 1,
      ranges_total: 2,
      ranges_done: 0,
      ranges_skipped: 0,
    });
  });

  test('of a change that comes again does nothing, alone or among others', async () => {
    const given = { runId: runId(1), runChanges: 2, ranges: minutes([0, 10]) };
    const [first, second] = [
      calculationChange({ variableKey: 7 }, given),
      calculationChange({ variableKey: 8 }, given),
    ];
    await takeOver(first);
    expect(await takeOver(first)).toBe(0);
    expect(await takeOver(first, second)).toBe(1);
    expect(await storedMarks(admin)).toHaveLength(2);
    expect(await storedRun(admin, runId(1))).toMatchObject({ changes_taken: 2, ranges_total: 2 });
  });

  test('at the same time as others happens once', async () => {
    const changes = [7, 8, 9].map((variableKey) =>
      calculationChange({ variableKey }, { runId: runId(1), runChanges: 3, ranges: minutes([0, 10]) }),
    );
    const taken = await Promise.all([takeOver(...changes), takeOver(...changes), takeOver(...changes)]);
    expect(taken.sort((a, b) => a - b)).toEqual([0, 0, 3]);
    expect(await storedMarks(admin)).toHaveLength(3);
    expect(await storedRun(admin, runId(1))).toMatchObject({ changes_taken: 3, ranges_total: 3 });
  });

  test('never puts an older definition in the place of a newer one, but takes its ranges', async () => {
    await takeOver(calculationChange({ variableKey: 7, version: 5, inputs: { new: 3 } }));
    await takeOver(
      calculationChange(
        { variableKey: 7, version: 4, inputs: { old: 2 } },
        { runId: runId(1), runChanges: 1, ranges: minutes([0, 1]) },
      ),
    );
    expect(await versions()).toEqual([[7, 5, '2 * new']]);
    expect(await edges()).toEqual([[3, 7]]);
    expect(await storedMarks(admin)).toHaveLength(1);
  });

  test('takes newer ranges out of older ones, and counts those that vanish as skipped', async () => {
    const run = (number: number, version: number, ...ranges: [number, number][]) =>
      calculationChange(
        { variableKey: 7, version },
        { runId: runId(number), runChanges: 1, ranges: minutes(...ranges) },
      );
    await takeOver(run(1, 1, [0, 10], [20, 30], [40, 50]));
    // what live points have marked is computed soon, and stays
    await admin.query(sql`
      insert into observations.dirty (variable_key, ranges, lane, configuration_generation, range_count)
      values (7, '{["1970-01-01 00:00+00","1970-01-01 00:10+00")}', 0, 0, 0)`);
    await takeOver(run(2, 2, [5, 35]));
    expect(await storedMarks(admin)).toEqual([
      { key: 7, lane: 1, run: runId(1), ranges: [[0, 5]] },
      { key: 7, lane: 0, run: undefined, ranges: [[0, 10]] },
      { key: 7, lane: 1, run: runId(2), ranges: [[5, 35]] },
      { key: 7, lane: 1, run: runId(1), ranges: [[40, 50]] },
    ]);
    expect(await storedRun(admin, runId(1))).toMatchObject({ ranges_total: 3, ranges_skipped: 1 });
    await takeOver(run(3, 3, [-100, 100]));
    expect(await storedRun(admin, runId(1))).toMatchObject({ ranges_total: 3, ranges_skipped: 3 });
    expect(await storedRun(admin, runId(2))).toMatchObject({ ranges_total: 1, ranges_skipped: 1 });
    expect(await storedRun(admin, runId(3))).toMatchObject({ ranges_total: 1, ranges_skipped: 0 });
  });

  test('of what is archived takes everything away, until it is restored', async () => {
    const given = { runChanges: 1, ranges: minutes([0, 10]) };
    await takeOver(calculationChange({ variableKey: 7, version: 1 }, { runId: runId(1), ...given }));
    await takeOver(calculationChange({ variableKey: 7, version: 2, isActive: false }));
    expect(await edges()).toEqual([]);
    expect(await storedMarks(admin)).toEqual([]);
    expect(await storedRun(admin, runId(1))).toMatchObject({ ranges_skipped: 1 });
    // one that was saved before it was archived, told after
    await takeOver(calculationChange({ variableKey: 7, version: 2, isActive: false }, { runId: runId(2), ...given }));
    expect(await storedMarks(admin)).toEqual([]);
    expect(await storedRun(admin, runId(2))).toMatchObject({ changes_taken: 1, ranges_total: 1, ranges_skipped: 1 });
    await takeOver(calculationChange({ variableKey: 7, version: 3 }, { runId: runId(3), ...given }));
    expect(await edges()).toEqual([[1, 7]]);
    expect(await storedMarks(admin)).toHaveLength(1);
  });

  test('of a cancelled run puts aside what it has not computed, and what is still to come of it', async () => {
    const part = (variableKey: number) =>
      calculationChange({ variableKey }, { runId: runId(1), runChanges: 2, ranges: minutes([0, 10]) });
    const other = calculationChange({ variableKey: 8 }, { runId: runId(2), runChanges: 1, ranges: minutes([20, 30]) });
    const cancellation = calculationChange(undefined, { cancelledRunId: runId(1) });
    await takeOver(part(7), other, cancellation, part(8));
    expect(await storedMarks(admin)).toEqual([
      { key: 7, lane: 2, run: runId(1), ranges: [[0, 10]] },
      { key: 8, lane: 2, run: runId(1), ranges: [[0, 10]] },
      { key: 8, lane: 1, run: runId(2), ranges: [[20, 30]] },
    ]);
    const failed = { state: 'failed', error_code: 'cancelled', ranges_total: 2, ranges_done: 0, ranges_skipped: 0 };
    expect(await storedRun(admin, runId(1))).toMatchObject(failed);
    // a later run takes over what was put aside; the counts of what has ended stand
    await takeOver(
      calculationChange({ variableKey: 7, version: 2 }, { runId: runId(3), runChanges: 1, ranges: minutes([0, 10]) }),
    );
    expect((await storedMarks(admin)).filter(({ key }) => key === 7)).toEqual([
      { key: 7, lane: 1, run: runId(3), ranges: [[0, 10]] },
    ]);
    expect(await storedRun(admin, runId(1))).toMatchObject(failed);
  });

  test('takes up what results in its ranges had marked and was put aside, over any number of steps', async () => {
    const run = { runId: runId(2), runChanges: 1, ranges: minutes([0, 10]) };
    await takeOver(
      calculationChange({ variableKey: 7 }),
      calculationChange({ variableKey: 8, inputs: { x: 7 } }),
      calculationChange({ variableKey: 9, inputs: { x: 8 } }),
      calculationChange({ variableKey: 10 }),
      calculationChange(undefined, { cancelledRunId: runId(1) }),
    );
    const aside = (key: number, minute: number, ranges: number) =>
      admin.query(sql`
      insert into observations.dirty (variable_key, ranges, lane, run_id, configuration_generation, range_count, attempts)
      select ${key}, tstzmultirange(tstzrange(start_at, start_at + interval '1 minute')), 2, ${runId(1)}, 0, ${ranges}, 5
      from (select to_timestamp(${minute * 60}::int) as start_at) as given`);
    // of one that reads it, of one that reads that, of one that does not; elsewhere; and what was asked for itself
    for (const [key, minute, ranges] of [
      [8, 1, 0],
      [9, 2, 0],
      [10, 3, 0],
      [9, 20, 0],
      [8, 4, 1],
    ] as const) {
      await aside(key, minute, ranges);
    }
    await takeOver(calculationChange({ variableKey: 7, version: 2 }, run));
    expect(await storedMarks(admin)).toEqual([
      { key: 7, lane: 1, run: runId(2), ranges: [[0, 10]] },
      { key: 8, lane: 1, run: runId(2), ranges: [[1, 2]] },
      { key: 8, lane: 2, run: runId(1), ranges: [[4, 5]] },
      { key: 9, lane: 1, run: runId(2), ranges: [[2, 3]] },
      { key: 9, lane: 2, run: runId(1), ranges: [[20, 21]] },
      { key: 10, lane: 2, run: runId(1), ranges: [[3, 4]] },
    ]);
    expect(await storedRun(admin, runId(2))).toMatchObject({ ranges_total: 1, ranges_skipped: 0 });
  });

  test('of a run that is cancelled before any of it came', async () => {
    await takeOver(calculationChange(undefined, { cancelledRunId: runId(9) }));
    expect(await storedRun(admin, runId(9))).toMatchObject({ state: 'failed', error_code: 'cancelled' });
  });

  test('waits for writers that do not know the reader, and those that come after know it', async () => {
    const memory = new SeriesMemory();
    await memory.ensure(pool, [{ variableKey: 1, projectId, instrumentId, generation: 1 }]);
    const write = (minute: number) =>
      writeRows({ pool, memory, projectIds: [projectId], mayBeStored: true }, oneRow(1, minute * minuteUs));
    const order: string[] = [];
    const release = Promise.withResolvers<void>();
    const wrote = Promise.withResolvers<void>();
    const early = pool.transaction(async (tx) => {
      await shareProjects.run(tx, { projectIds: [projectId] });
      await upsertObservations.run(tx, toRowColumns(oneRow(1, 5 * minuteUs)));
      expect(await readersOf(tx, oneRow(1, 5 * minuteUs))).toEqual([]);
      wrote.resolve();
      await release.promise;
      order.push('early');
    });
    await wrote.promise;
    const installing = takeOver(
      calculationChange({ variableKey: 7 }, { runId: runId(1), runChanges: 1, ranges: minutes([0, 10]) }),
    ).then(() => order.push('installed'));
    await waiting(1);
    const late = write(15).then(() => order.push('late'));
    await waiting(2);
    // nobody waits for another project
    await writeRows({ pool, memory, projectIds: [runId(1)], mayBeStored: true }, oneRow(1, 20 * minuteUs));
    release.resolve();
    await Promise.all([early, installing, late]);
    expect(order).toEqual(['early', 'installed', 'late']);
    expect(await storedMarks(admin)).toEqual([
      // what was written before is there for the recalculation to read
      { key: 7, lane: 1, run: runId(1), ranges: [[0, 10]] },
      { key: 7, lane: 0, run: undefined, ranges: [[15, 15 + 1 / minuteUs]] },
    ]);
    const { rows } = await admin.query(
      sql`select at from observations.observations where variable_key = 1 order by at`,
    );
    expect(rows.map(({ at }) => (at as number) / minuteUs)).toEqual([5, 15, 20]);
  });

  test('of what cannot be computed has no readers, and its run comes to its end', async () => {
    await takeOver(
      calculationChange(
        { variableKey: 7, expression: 'x +' },
        { runId: runId(1), runChanges: 1, ranges: minutes([0, 10]) },
      ),
    );
    expect(await edges()).toEqual([]);
    expect(await storedMarks(admin)).toHaveLength(1);
  });
});
