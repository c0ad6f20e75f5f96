import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findMigrations, type MigrationSet, migrate, readMigrationStates } from '../src/migrations/index.js';
import { openPool, type Pool, sql } from '../src/sql/index.js';
import { createEmptyDatabase, type TestDatabase } from '../src/testing/index.js';

let database: TestDatabase;
let pool: Pool;
let root: string;
beforeEach(async () => {
  database = await createEmptyDatabase();
  pool = openPool({ url: database.url, max: 1 });
  root = await mkdtemp(join(tmpdir(), 'weir-migrations-'));
});
afterEach(async () => {
  await pool[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

/** Writes files of a service, and finds the migrations of all. */
async function write(service: string, files: Readonly<Record<string, string>>): Promise<MigrationSet[]> {
  const directory = join(root, 'services', service, 'migrations');
  await mkdir(directory, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return await findMigrations(root);
}

const tables = async () => {
  const { rows } = await pool.query(sql`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema in ('mill', 'lake') order by name`);
  return rows.map((row) => row['name']);
};

/** Waits until somebody waits for the advisory lock 7. @returns whose backend */
async function waitingFor7(admin: pg.Client): Promise<number> {
  for (;;) {
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and objid = 7 and not granted
         and database = (select oid from pg_database where datname = current_database())`,
    );
    if (rows[0] !== undefined) return rows[0].pid;
  }
}

const one = { '0001_create_wheels.sql': 'create table mill.wheels (id integer); insert into mill.wheels values (1);' };
const two = { '0002_create_stones.sql': 'create table mill.stones (id integer);' };

describe('migrate', () => {
  test('brings schemas up from empty, and again does nothing', async () => {
    await write('lake', { '0001_create_fish.sql': 'create table lake.fish (id integer);' });
    const sets = await write('mill', { ...one, ...two });
    expect(await migrate(database.url, sets)).toEqual([
      { service: 'lake', applied: ['0001_create_fish.sql'], version: 1 },
      { service: 'mill', applied: ['0001_create_wheels.sql', '0002_create_stones.sql'], version: 2 },
    ]);
    expect(await tables()).toEqual(['lake.fish', 'lake.migrations', 'mill.migrations', 'mill.stones', 'mill.wheels']);
    expect((await migrate(database.url, sets)).flatMap((result) => result.applied)).toEqual([]);
  });

  test('applies what was added since', async () => {
    await migrate(database.url, await write('mill', one));
    const [result] = await migrate(database.url, await write('mill', two));
    expect(result).toEqual({ service: 'mill', applied: ['0002_create_stones.sql'], version: 2 });
  });

  test('H7: twice at once applies each file once', async () => {
    const sets = await write('mill', { ...one, ...two });
    const results = await Promise.all(Array.from({ length: 4 }, () => migrate(database.url, sets)));
    const applied = results.flat().map((result) => result.applied.length);
    expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 2]);
    expect((await pool.query(sql`select id from mill.wheels`)).rows).toEqual([{ id: 1 }]);
  });

  test('says that it waits for another one, whose locks a lost machine does not keep', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    try {
      await admin.query('select pg_advisory_lock(7)');
      const session = `select current_setting('tcp_keepalives_idle')::integer as idle_s`;
      const held = `create table mill.sessions as ${session}; select pg_advisory_lock(7);`;
      const sets = await write('mill', { '0001_create_sessions.sql': `create schema if not exists mill; ${held}` });
      const first = migrate(database.url, sets);
      await waitingFor7(admin);
      const waits = Promise.withResolvers<void>();
      const second = migrate(database.url, sets, waits.resolve);
      await waits.promise;
      await admin.query('select pg_advisory_unlock(7)');
      expect((await Promise.all([first, second])).map(([result]) => result?.applied.length)).toEqual([1, 0]);
      expect((await pool.query(sql`select idle_s from mill.sessions`)).rows).toEqual([{ idle_s: 60 }]);
    } finally {
      await admin.end();
    }
  });

  test('that fails leaves the files before it, and can be run again', async () => {
    const broken = { '0002_create_stones.sql': 'create table mill.stones (id integer); select nothing;' };
    const sets = await write('mill', { ...one, ...broken });
    await expect(migrate(database.url, sets)).rejects.toThrow(
      'mill/0002_create_stones.sql: column "nothing" does not exist',
    );
    expect(await tables()).toEqual(['mill.migrations', 'mill.wheels']);
    const [result] = await migrate(database.url, await write('mill', two));
    expect(result?.applied).toEqual(['0002_create_stones.sql']);
  });

  test('H7: that was killed half-way leaves the files before it, and can be run again', async () => {
    const admin = new pg.Client({ connectionString: database.url });
    await admin.connect();
    try {
      // the second file waits for this lock in its middle
      await admin.query('select pg_advisory_lock(7)');
      const waiting = { '0002_create_stones.sql': `${two['0002_create_stones.sql']} select pg_advisory_lock(7);` };
      const sets = await write('mill', { ...one, ...waiting });
      const killed = migrate(database.url, sets).catch((error: Error) => error.message);
      await admin.query('select pg_terminate_backend($1, 5000)', [await waitingFor7(admin)]);
      expect(await killed).toContain('mill/0002_create_stones.sql');
      expect(await tables()).toEqual(['mill.migrations', 'mill.wheels']);
      await admin.query('select pg_advisory_unlock(7)');
      expect((await migrate(database.url, sets))[0]?.applied).toEqual(['0002_create_stones.sql']);
    } finally {
      await admin.end();
    }
  });

  test('refuses a file that was edited after it was applied', async () => {
    await migrate(database.url, await write('mill', one));
    const edited = await write('mill', { '0001_create_wheels.sql': 'create table mill.wheels (id bigint);', ...two });
    await expect(migrate(database.url, edited)).rejects.toThrow(
      'mill/0001_create_wheels.sql was applied with another text; migrations are never edited',
    );
    expect(await tables()).toEqual(['mill.migrations', 'mill.wheels']);
  });

  test('lets a newer schema be', async () => {
    const newer = await write('mill', { ...one, ...two });
    await migrate(database.url, newer);
    await rm(join(root, 'services/mill/migrations/0002_create_stones.sql'));
    const [result] = await migrate(database.url, newer);
    expect(result).toEqual({ service: 'mill', applied: [], version: 2 });
  });

  test.each(['0003_gap.sql', '2_short.sql', 'notes.sql'])('refuses a file of the wrong number: %s', async (name) => {
    const sets = await write('mill', { ...one, [name]: 'select 1;' });
    await expect(migrate(database.url, sets)).rejects.toThrow(`${name}: expected number 2`);
  });

  test('to a database that is not there is dependency_unavailable', async () => {
    const sets = await write('mill', one);
    await expect(migrate('postgres://weir@127.0.0.1:1/weir', sets)).rejects.toMatchObject({
      code: 'dependency_unavailable',
    });
  });
});

test('readMigrationStates tells how far schemas are, and changes nothing', async () => {
  const sets = await write('mill', { ...one, ...two });
  expect(await readMigrationStates(database.url, sets)).toEqual([{ service: 'mill', version: 0, latest: 2 }]);
  expect(await tables()).toEqual([]);
  await migrate(database.url, sets);
  expect(await readMigrationStates(database.url, sets)).toEqual([{ service: 'mill', version: 2, latest: 2 }]);
});
