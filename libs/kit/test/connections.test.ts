import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRead } from '../src/reads/index.js';
import { openPool, type Pool, type PoolOptions, sql } from '../src/sql/index.js';
import { createEmptyDatabase, startTcpProxy, type TestDatabase, testServer } from '../src/testing/index.js';

const unavailable = { code: 'dependency_unavailable', message: 'The database does not answer.' };

let database: TestDatabase;
let other: Pool;
beforeAll(async () => {
  database = await createEmptyDatabase();
  other = openPool({ url: database.url, max: 1 });
});
afterAll(async () => {
  await other[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const open = (options: Partial<PoolOptions> = {}) => openPool({ url: database.url, max: 1, ...options });
const backend = sql`select pg_backend_pid() as pid`;
const end = async (pid: unknown) => {
  // waits until the backend is gone
  await other.query(sql`select pg_terminate_backend(${pid}, 5000)`);
};

describe('a connection that is lost', () => {
  test('while idle is replaced', async () => {
    await using pool = open();
    const first = (await pool.query(backend)).rows[0]?.['pid'];
    await end(first);
    // the pool may learn of the loss by this statement, or before it
    await pool.query(backend).catch((error: unknown) => expect(error).toMatchObject(unavailable));
    expect((await pool.query(backend)).rows[0]?.['pid']).not.toBe(first);
  });

  test('in the middle of a statement is dependency_unavailable', async () => {
    await using pool = open();
    const { pid } = (await pool.query(backend)).rows[0] ?? {};
    const sleeping = pool.query(sql`select pg_sleep(60)`);
    await Promise.all([expect(sleeping).rejects.toMatchObject(unavailable), end(pid)]);
    await pool.query(backend);
  });

  test('between the statements of a transaction is dependency_unavailable, and nothing stays', async () => {
    await using pool = open();
    await pool.query(sql`create table kept (id integer)`);
    const work = pool.transaction(async (tx) => {
      await tx.query(sql`insert into kept (id) values (1)`);
      await end((await tx.query(backend)).rows[0]?.['pid']);
      await tx.query(sql`insert into kept (id) values (2)`);
    });
    await expect(work).rejects.toMatchObject(unavailable);
    expect((await pool.query(sql`select id from kept`)).rows).toEqual([]);
  });

  test('before the commit is dependency_unavailable', async () => {
    await using pool = open();
    const work = pool.transaction(async (tx) => {
      await end((await tx.query(backend)).rows[0]?.['pid']);
    });
    await expect(work).rejects.toMatchObject(unavailable);
    await pool.query(backend);
  });
});

describe('a connection that the database refuses', () => {
  test.each([
    ['a login that it does not know', (url: URL) => (url.username = 'nobody')],
    ['a database that is not there', (url: URL) => (url.pathname = '/nowhere')],
  ])('for %s is dependency_unavailable, as where it is away', async (_, change) => {
    const url = new URL(database.url);
    change(url);
    await using pool = open({ url: url.href });
    await expect(pool.query(backend)).rejects.toMatchObject(unavailable);
    await expect(pool.transaction((tx) => tx.query(backend))).rejects.toMatchObject(unavailable);
  });
});

describe('a connection that leads nowhere', () => {
  test.each([
    ['a statement', (pool: Pool) => pool.query(backend)],
    ['a transaction', (pool: Pool) => pool.transaction((tx) => tx.query(backend))],
    ['what may be called off', (pool: Pool) => inRead(new AbortController().signal, () => pool.query(backend))],
  ])('is left a little after the time that %s may take, and the next one works', async (_, work) => {
    await using proxy = await startTcpProxy(new URL(testServer('DATABASE_URL')).host);
    const url = new URL(database.url);
    url.host = proxy.address;
    await using pool = open({ url: url.href, statementTimeoutMs: 50, answerMarginMs: 100 });
    const first = (await work(pool)).rows[0]?.['pid'];
    proxy.begin({ kind: 'black-hole' });
    const lost = work(pool);
    proxy.begin({ kind: 'none' });
    await expect(lost).rejects.toMatchObject(unavailable);
    expect((await work(pool)).rows[0]?.['pid']).not.toBe(first);
  });
});

test('a database that is not there is dependency_unavailable', async () => {
  await using pool = open({ url: 'postgres://weir@127.0.0.1:1/weir' });
  await expect(pool.query(backend)).rejects.toMatchObject(unavailable);
  await expect(pool.transaction((tx) => tx.query(backend))).rejects.toMatchObject(unavailable);
});

test('a statement that takes too long is dependency_unavailable', async () => {
  await using pool = open({ statementTimeoutMs: 50 });
  await expect(pool.query(sql`select pg_sleep(60)`)).rejects.toMatchObject(unavailable);
  await pool.query(backend);
});

test('a pool with every connection taken makes others wait', async () => {
  await using pool = open({ max: 2 });
  const { rows } = (
    await Promise.all(
      Array.from({ length: 20 }, () =>
        pool.query(sql`select count(*) as others from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = ''`),
      ),
    )
  ).at(-1) ?? { rows: [] };
  expect(rows[0]?.['others']).toBeLessThanOrEqual(2);
});

test('a session has the role, UTC and ISO dates, and compiles nothing, whatever the database prefers', async () => {
  const name = new URL(database.url).pathname.slice(1);
  // names of databases and settings cannot be parameters
  const prefer = (text: string) => other.query({ text: `alter database ${name} ${text}`, values: [] });
  await prefer(`set datestyle = 'SQL, DMY'`);
  await prefer(`set timezone = 'Europe/Zurich'`);
  await prefer('set jit = on');
  await using pool = open({ role: 'pg_monitor', settings: { plan_cache_mode: 'force_generic_plan' } });
  const { rows } = await pool.query(sql`
    select current_user as "user", timestamptz '2024-07-01 12:00:00+00' as at,
      current_setting('plan_cache_mode') as plans, current_setting('jit') as jit`);
  const plans = 'force_generic_plan';
  expect(rows).toEqual([{ user: 'pg_monitor', at: Date.UTC(2024, 6, 1, 12) * 1000, plans, jit: 'off' }]);
});

test('options of the URL are added, and do not take the place of the role', async () => {
  const url = new URL(database.url);
  url.searchParams.set('options', '-c work_mem=5MB -c timezone=Europe/Zurich');
  await using pool = open({ url: url.toString(), role: 'pg_monitor' });
  const { rows } = await pool.query(sql`
    select current_user as "user", current_setting('work_mem') as memory, current_setting('timezone') as zone`);
  expect(rows).toEqual([{ user: 'pg_monitor', memory: '5MB', zone: 'UTC' }]);
});
