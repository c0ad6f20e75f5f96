import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@weir/kit/ids';
import type { StartedService } from '@weir/kit/lifecycle';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { openPool, type Pool, sql, type Transaction } from '@weir/kit/sql';
import type { TestDatabase } from '@weir/kit/testing';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { arrangeRows } from '../src/domain/arrange-rows.js';
import { deleteOldChanges, forgetStoredBatches } from '../src/retention.js';
import { bigintArray, instantArray } from '../src/store/binary.js';
import { noteChanges } from '../src/store/changes.js';
import { SeriesMemory } from '../src/stream/series-memory.js';
import { writeRows } from '../src/stream/write-rows.js';
import { applyChanges, readChanges } from './read-changes.js';
import { projectId } from './test-points.js';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

let database: TestDatabase;
let pool: Pool;
let admin: Pool;
/** May delete, which no processor needs yet. */
let deleter: Pool;
let query: StartedService;
let client: RpcClient<typeof ObservationsServiceDefinition>;
beforeAll(async () => {
  database = await testDatabase();
  pool = openPool({ url: database.url, role: 'weir_observations', max: 4 });
  admin = openPool({ url: database.url, max: 1 });
  deleter = openPool({ url: database.url, max: 4 });
  query = await startTestQuery(database.url);
  client = connect(ObservationsServiceDefinition, query.address);
});
afterAll(async () => {
  client[Symbol.dispose]();
  await query[Symbol.asyncDispose]();
  await deleter[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await pool[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await admin.query(
    sql`truncate observations.observations, observations.series, observations.changes, observations.calculations,
      observations.readers, observations.rollup_states`,
  );
  memory = new SeriesMemory();
});

let memory: SeriesMemory;
let admitted = 0;

type Value = readonly [variableKey: number, second: number, value: number];

/** Writes values as a processor does. */
async function write(...values: readonly Value[]): Promise<void> {
  const keys = [...new Set(values.map(([key]) => key))];
  const { rows } = arrangeRows({
    count: values.length,
    variableKeys: keys,
    slots: Uint32Array.from(values, ([key]) => keys.indexOf(key)),
    instantsUs: Float64Array.from(values, ([, second]) => second * 1e6),
    values: Float64Array.from(values, ([, , value]) => value),
    admitted: Float64Array.from(values, () => ++admitted),
  });
  const series = keys.map((variableKey) => ({ variableKey, projectId, instrumentId: projectId, generation: 1 }));
  await memory.ensure(pool, series);
  await writeRows({ pool, memory, projectIds: [projectId], mayBeStored: false }, rows);
}

/** Deletes observations as a calculation does whose results have become missing. */
async function remove(tx: Transaction, variableKey: number, first: number, last: number): Promise<void> {
  const from = new Date(first * 1000);
  const to = new Date(last * 1000);
  await tx.query(sql`delete from observations.observations
    where variable_key = ${variableKey}::bigint and at between ${from}::timestamptz and ${to}::timestamptz`);
  await noteChanges.run(tx, {
    variableKeys: bigintArray(Float64Array.of(variableKey)),
    firstInstants: instantArray(Float64Array.of(first * 1e6)),
    lastInstants: instantArray(Float64Array.of(last * 1e6)),
    risenKeys: bigintArray(new Float64Array()),
    risenInstants: instantArray(new Float64Array()),
  });
}

const read = (variableKeys: readonly number[], options?: Parameters<typeof readChanges>[2]) =>
  readChanges(client, variableKeys, options);

const us = 1e-6;

describe('changed_since', () => {
  test('answers whole the ranges that were written since, and nothing else', async () => {
    await write([1, 10, 1], [1, 20, 2], [1, 30, 3], [2, 10, 1]);
    const { mark } = await read([1, 2]);
    expect(await read([1, 2, 3], { changedSince: mark })).toMatchObject({ values: new Map(), ranges: new Map() });
    await write([1, 20, 22]);
    await write([1, 40, 4], [1, 50, 5]);
    const changed = await read([1, 2], { changedSince: mark });
    expect(changed.values).toEqual(
      new Map([
        [
          1,
          new Map([
            [20, 22],
            [40, 4],
            [50, 5],
          ]),
        ],
      ]),
    );
    expect(changed.ranges).toEqual(
      new Map([
        [
          1,
          [
            [20, 20 + us],
            [40, 50 + us],
          ],
        ],
      ]),
    );
    expect((await read([1, 2], { changedSince: changed.mark })).ranges).toEqual(new Map());
  });

  test('what is missing in a changed range was deleted', async () => {
    await write(...[1, 2, 3, 4].map((second): Value => [1, second, second]));
    const { mark } = await read([1]);
    await deleter.transaction((tx) => remove(tx, 1, 2, 3));
    const changed = await read([1], { changedSince: mark });
    expect([changed.values.get(1), changed.ranges.get(1)]).toEqual([new Map(), [[2, 3 + us]]]);
  });

  test('is bounded by the range asked', async () => {
    const { mark } = await read([1]);
    await write(...[10, 20, 30, 40].map((second): Value => [1, second, second]));
    const bounds = { startUs: 15e6, endUs: 30e6 };
    const changed = await read([1], { changedSince: mark, ...bounds });
    expect([changed.values.get(1), changed.ranges.get(1)]).toEqual([new Map([[20, 20]]), [[15, 30]]]);
  });

  test('shows nothing to another project', async () => {
    const { mark } = await read([1]);
    await write([1, 10, 1]);
    const other = {
      projectId: '01920000-0000-7000-8000-00000000b000',
      variableKeys: [1],
      limit: 10,
      descending: false,
    };
    expect((await client.listObservations({ ...other, changedSince: mark })).series).toEqual([]);
  });

  test('misses no transaction, in whatever order they begin, write and commit', async () => {
    await write([1, 0, 0]);
    const begun = Promise.withResolvers<void>();
    const finish = Promise.withResolvers<void>();
    // it has its number before the mark is made, and commits after another that has a later number
    const slow = deleter.transaction(async (tx) => {
      await remove(tx, 1, 0, 0);
      begun.resolve();
      await finish.promise;
    });
    await begun.promise;
    await write([2, 5, 5]);
    const first = await read([1, 2]);
    expect(first.values.get(1)?.get(0)).toBe(0);
    finish.resolve();
    await slow;
    const changed = await read([1, 2], { changedSince: first.mark });
    expect(changed.ranges).toEqual(new Map([[1, [[0, us]]]]));
    expect(changed.values.get(1)?.size).toBe(0);
    expect((await read([1, 2], { changedSince: changed.mark })).ranges).toEqual(new Map());
  });

  test('a mark without a list of running transactions, as a standby makes it, misses none either', async () => {
    const { mark } = await read([1]);
    const [xmin, atUs] = mark.split(/:.* /) as [string, string];
    await write([1, 1, 1]);
    expect((await read([1], { changedSince: `${xmin}:${xmin}: ${atUs}` })).values.get(1)?.get(1)).toBe(1);
  });

  test('a copy that follows the marks, page by page, is the same as the table while many write', async () => {
    const keys = [1, 2, 3];
    const values = fc.sample(
      fc.tuple(fc.constantFrom(...keys), fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 1000 })),
      { numRuns: 240, seed: 11 },
    );
    let isWriting = true;
    const writers = [0, 1, 2].map(async (writer) => {
      for (let i = writer * 80; i < (writer + 1) * 80; i += 10) {
        await write(...(values.slice(i, i + 1 + (i % 9)) as Value[]));
        if (i % 20 === 0)
          await deleter.transaction(async (tx) => {
            await remove(tx, keys[writer] as number, i % 350, (i % 350) + 20);
            await delay(2);
          });
      }
    });
    const done = Promise.all(writers).finally(() => {
      isWriting = false;
    });
    // the writers have begun: what they stored already is in the first read, which is of all
    const first = await read(keys);
    const copy = new Map([...first.values].map(([key, own]) => [key, new Map(own)]));
    let { mark } = first;
    for (let round = 0, isLast = false; !isLast; round++) {
      isLast = !isWriting;
      const changed = await read(keys, {
        changedSince: mark,
        limit: 1 + (round % 7) * 10,
        descending: round % 2 === 0,
      });
      applyChanges(copy, changed);
      mark = changed.mark;
    }
    await done;
    const sorted = (map: ReadonlyMap<number, number> | undefined) => [...(map ?? [])].sort(([a], [b]) => a - b);
    const { values: whole } = await read(keys);
    for (const key of keys) expect(sorted(copy.get(key))).toEqual(sorted(whole.get(key)));
  });

  test('a mark that is none, or older than changes are kept, is invalid_request', async () => {
    const refused = async (changedSince: string) =>
      await read([1], { changedSince }).then(
        () => undefined,
        (error: unknown) => error,
      );
    const { mark } = await read([1]);
    const [snapshot, atUs] = mark.split(' ') as [string, string];
    expect(await refused('x')).toMatchObject({ code: 'invalid_request', details: [{ code: 'invalid_mark' }] });
    const old = { code: 'invalid_request', details: [{ path: 'query/changed_since', code: 'mark_too_old' }] };
    expect(await refused(`3:3: ${atUs}`)).toMatchObject(old);
    expect(await refused(`${snapshot} ${Number(atUs) - 31 * 86_400e6}`)).toMatchObject(old);
    // given before the database was restored to an earlier state, or brought to another server
    const [xmin] = snapshot.split(':') as [string];
    const ahead = Number(xmin) + 1_000_000;
    expect(await refused(`${xmin}:${ahead}: ${atUs}`)).toMatchObject(old);
    expect(await refused(`${ahead}:${ahead}: ${atUs}`)).toMatchObject(old);
    expect(await refused(mark)).toBeUndefined();
  });
});

describe('retention', () => {
  const count = async () =>
    (await admin.query(sql`select count(*) as count from observations.changes`)).rows[0]?.['count'];
  const tooOld = { details: [{ code: 'mark_too_old' }] };

  test('deletes what is older, and refuses the marks before it, but never one after it', async () => {
    const { signal } = new AbortController();
    await write([1, 1, 1]);
    const old = await read([1]);
    await write([1, 2, 2]);
    expect(await deleteOldChanges(pool, 1, signal)).toBe(0);
    // a horizon above what is there, and all as if they had been reached two days ago
    const { rows } = await admin.query(sql`insert into observations.change_horizons (xid, reached_at)
      values (pg_current_xact_id()::text::bigint, now()) returning xid`);
    await admin.query(sql`update observations.change_horizons set reached_at = reached_at - interval '2 days'`);
    let kept = await read([1]);
    // other databases of the server have transactions as well, and horizons wait for those
    while (Number(kept.mark.split(':')[0]) < Number(rows[0]?.['xid'])) kept = await read([1]);
    await write([1, 3, 3]);
    expect(await deleteOldChanges(pool, 1, signal)).toBe(2);
    expect(await count()).toBe(1);
    await expect(read([1], { changedSince: old.mark })).rejects.toMatchObject(tooOld);
    expect((await read([1], { changedSince: kept.mark })).values.get(1)).toEqual(new Map([[3, 3]]));
    expect(await deleteOldChanges(pool, 1, signal)).toBe(0);
    expect((await read([1], { changedSince: kept.mark })).values.get(1)).toEqual(new Map([[3, 3]]));
  });

  test('is done by one process at a time', async () => {
    await admin.transaction(async (tx) => {
      await tx.query(sql`select pg_advisory_xact_lock(7374626571)`);
      await write([1, 1, 1]);
      expect(await deleteOldChanges(pool, 0, new AbortController().signal)).toBe(0);
    });
  });
});

test('what batches are stored under of which nobody tells any more is forgotten after 30 days', async () => {
  for (const days of [29, 31]) {
    await admin.query(sql`
      insert into observations.stored_batches (id, public_ids, epochs, variable_ids, stored_at)
      values (${newId()}, array[${newId()}::uuid], '{0}', array[''::bytea], now() - make_interval(days => ${days}))`);
  }
  await forgetStoredBatches(pool);
  const { rows } = await admin.query(
    sql`select extract(days from now() - stored_at)::integer as days from observations.stored_batches`,
  );
  expect(rows).toEqual([{ days: 29 }]);
});
