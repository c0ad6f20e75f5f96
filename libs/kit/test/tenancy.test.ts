import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRead } from '../src/reads/index.js';
import { openPool, type Pool, sql } from '../src/sql/index.js';
import { acrossProjects, acrossProjectsSettings, inProject } from '../src/tenancy/index.js';
import { createEmptyDatabase, type TestDatabase } from '../src/testing/index.js';

const one = '01920000-0000-7000-8000-000000000001';
const two = '01920000-0000-7000-8000-000000000002';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = openPool({ url: database.url, max: 1, keepsToProjects: true });
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const selectScope = sql`select current_setting('weir.project_id', true) as scope, ${1}::integer as one`;
const scope = async (db: Pick<Pool, 'query'> = pool, name?: string) => (await db.query(selectScope, name)).rows;
const scoped = (text: string) => [{ scope: text, one: 1 }];

describe('S7: statements of a pool that keeps to projects', () => {
  test.each([undefined, 'named'])('see the project of their work, and nothing is left of it (%s)', async (name) => {
    expect(await inProject(one, () => scope(pool, name))).toEqual(scoped(one));
    expect(await scope(pool, name)).toEqual(scoped(''));
    expect(await inProject(two, () => scope(pool, name))).toEqual(scoped(two));
    expect(await acrossProjects(() => scope(pool, name))).toEqual(scoped('*'));
    expect(await inProject("x' or true --", () => scope(pool, name))).toEqual(scoped(''));
  });

  test('keep it through a transaction and a snapshot, whatever the work goes on to', async () => {
    const inTransaction = await inProject(one, () =>
      pool.transaction(async (tx) => [await scope(tx), await inProject(two, () => scope(tx))]),
    );
    expect(inTransaction).toEqual([scoped(one), scoped(one)]);
    const { signal } = new AbortController();
    expect(await inProject(two, () => inRead(signal, () => scope()))).toEqual(scoped(two));
    {
      await using snapshot = await inProject(two, () => pool.openSnapshot(signal));
      expect(await scope(snapshot)).toEqual(scoped(two));
    }
    expect(await scope()).toEqual(scoped(''));
  });

  test('fail alone: the connection goes on, in the scope of the next', async () => {
    const broken = sql`select ${1}::integer / 0 as one`;
    await expect(inProject(one, () => pool.query(broken, 'broken'))).rejects.toThrow('division by zero');
    await expect(inProject(one, () => pool.query(sql`select nothing`))).rejects.toThrow('nothing');
    expect(await inProject(two, () => scope())).toEqual(scoped(two));
    await expect(inProject(one, () => pool.transaction((tx) => tx.query(broken, 'broken')))).rejects.toThrow(
      'division by zero',
    );
    expect(await scope()).toEqual(scoped(''));
  });
});

describe('S7: a pool of all projects', () => {
  test('keeps to the project of the work where it is asked to, on the same connections', async () => {
    await using all = openPool({ url: database.url, max: 1, settings: acrossProjectsSettings });
    const { keptToProjects } = all;
    expect(await inProject(one, () => scope(all))).toEqual(scoped('*'));
    expect(await inProject(one, () => scope(keptToProjects, 'named'))).toEqual(scoped(one));
    expect(await scope(keptToProjects)).toEqual(scoped(''));
    expect(await inProject(two, () => keptToProjects.transaction((tx) => scope(tx)))).toEqual(scoped(two));
    expect(await all.transaction((tx) => scope(tx))).toEqual(scoped('*'));
    expect(await scope(all)).toEqual(scoped('*'));
  });
});
