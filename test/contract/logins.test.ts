import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { leastIdAt } from '@weir/kit/ids';
import { openPool, type Pool } from '@weir/kit/sql';
import { createTestDatabase } from '@weir/kit/testing';
import { type DatabaseProcess, databaseRoles, makeLogins } from '@weir/stack';
import { afterAll, describe, expect, test } from 'vitest';
import { declaredSettings } from '../chart/declared-settings.js';
import { root } from '../harness/checkout.js';
import { loginsOf } from '../harness/login-sql.js';
import { sqlBlocks } from '../harness/shell-blocks.js';

/** What a process that was taken over can do with its login: what the processes of every stack of a test run by. */
const opened = new AsyncDisposableStack();
const database = opened.use(await createTestDatabase());
const urls = await makeLogins(database.url);
const admin = opened.use(openPool({ url: database.url, max: 1 }));
afterAll(() => opened.disposeAsync());

/** The role that each process says it runs its statements as. */
const declared = Object.entries(declaredSettings).flatMap(([name, { databaseRole }]) =>
  databaseRole?.default === undefined ? [] : [{ name: name as DatabaseProcess, role: databaseRole.default }],
);
const schemaOf = (role: string): string => /^weir_([a-z]+)/.exec(role)?.[1] ?? '';
const schemas = [...new Set(declared.map(({ role }) => schemaOf(role)))];
const query = async (pool: Pool, text: string) => (await pool.query({ text, values: [] })).rows;
const namesOf = async (text: string): Promise<string[]> =>
  (await query(admin, text)).map(({ name }) => String(name)).sort();
const refused = { code: '42501' };

/** Roles of Weir, those of releases before as well. */
const roles = await namesOf("select rolname as name from pg_roles where rolname like 'weir\\_%' and not rolcanlogin");
const listed = schemas.map((schema) => `'${schema}'`).join();
const tables = await namesOf(
  `select format('%I.%I', relnamespace::regnamespace, relname) as name from pg_class
   where relnamespace::regnamespace::text in (${listed}) and relkind in ('r', 'p') and not relispartition`,
);
/** What somebody has any right to, by its name, of what stands in the schemas of Weir. */
const granted = (login: string): string => `
  select nspname as name from pg_namespace
  where nspname in (${listed}) and has_schema_privilege('${login}', oid, 'usage, create')
  union
  select format('%I.%I', nspname, relname) from pg_class join pg_namespace as schema on relnamespace = schema.oid
  where nspname in (${listed}) and (
    relkind = 'S' and has_sequence_privilege('${login}', pg_class.oid, 'usage, select, update')
    or relkind in ('r', 'p', 'v', 'm') and (
      has_table_privilege('${login}', pg_class.oid, 'select, insert, update, delete, truncate, references, trigger')
      or has_any_column_privilege('${login}', pg_class.oid, 'select, insert, update, references')))`;

test('S7: there is a login for each process, for the role that it declares', () => {
  expect(databaseRoles).toEqual(Object.fromEntries(declared.map(({ name, role }) => [name, role])));
  expect(roles).toEqual(expect.arrayContaining(declared.map(({ role }) => role)));
  expect(schemas).toHaveLength(6);
});

describe.each(declared)('S7: the login of $name', ({ name, role }) => {
  const login = `weir_${name}_login`;
  const pool = opened.use(openPool({ url: urls[name], max: 1 }));

  test('is a member of the role that its process runs as and of no other, and has no rights of its own', async () => {
    expect(await query(pool, 'select current_user::text as name')).toEqual([{ name: login }]);
    const member = `select rolname as name from pg_roles where rolname <> '${login}' and pg_has_role('${login}', oid, 'member')`;
    expect(await namesOf(member)).toEqual([role]);
    const mighty = `select rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as is_mighty from pg_roles where rolname = '${login}'`;
    expect(await query(admin, mighty)).toEqual([{ is_mighty: false }]);
  });

  test('runs as no other role, whether it asks later or when it connects', async () => {
    for (const other of roles.filter((one) => one !== role))
      await expect(query(pool, `set role ${other}`), other).rejects.toMatchObject(refused);
    for (const { role: other } of declared.filter((one) => one.role !== role)) {
      await using connected = openPool({ url: urls[name], role: other, max: 1 });
      await expect(query(connected, 'select'), other).rejects.toMatchObject(refused);
    }
    await query(pool, `set role ${role}`);
    await query(pool, 'reset role');
  });

  test('reads and changes nothing of another schema, and makes none', async () => {
    const own = schemaOf(role);
    const rights = await namesOf(granted(login));
    expect(rights.filter((name) => name !== own && !name.startsWith(`${own}.`))).toEqual([]);
    expect(rights.length).toBeGreaterThan(2);
    for (const table of tables.filter((one) => !one.startsWith(`${own}.`)))
      await expect(query(pool, `select from ${table} limit 1`), table).rejects.toMatchObject(refused);
    for (const text of ['create schema taken', 'create table public.taken ()', 'create role taken'])
      await expect(query(pool, text), text).rejects.toMatchObject(refused);
    await query(pool, `select version from ${own}.migrations limit 1`);
  });
});

test('S7: KEDA reads how long the oldest live run waits with the login of ingestion, of all projects, by an index', async () => {
  const template = await readFile(join(root, 'charts/weir/templates/keda.yaml'), 'utf8');
  const text = /query: >-\n((?: {10}.*\n)+)/.exec(template)?.[1] ?? '';
  await using keda = openPool({ url: urls.ingestion, max: 1 });
  expect(Object.values((await query(keda, text))[0] ?? {})).toEqual([0]);
  const age = async () => Number(Object.values((await query(keda, text))[0] ?? {})[0]);
  const queue = (batchId: string, ageS: number, rest: string) =>
    query(
      admin,
      `insert into ingestion.queue (batch_id, public_id, project_id, connection_id, published_at, lane, is_fresh, shard, run_count, epoch)
       select ${batchId}, '${leastIdAt((Date.now() - ageS * 1000) * 1000)}', gen_random_uuid(), gen_random_uuid(), ${rest}, 0, 1, 0`,
    );
  await queue('1', 9000, "now() - interval '2 hours', 'bulk', false");
  await queue('2', 8000, "now() - interval '2 hours', 'bulk', true");
  expect(await age()).toBe(0);
  // published again a moment ago, as all that waits for long
  await queue('3', 90, "now(), 'live', true");
  await queue('generate_series(4, 20000)', 10, "now() - interval '10 seconds', 'live', true");
  expect(await age()).toBeGreaterThan(89);
  await query(admin, 'analyze ingestion.queue');
  expect(JSON.stringify(await query(keda, `explain ${text}`))).toContain('using queue_pkey on queue');
});

describe('S7: one login for each process, for its role alone, is what is made by', () => {
  const wanted = Object.fromEntries(declared.map(({ name, role }) => [`weir_${name}_login`, [role]]));

  test('docs/operators/install.md, beside the one that migrates', async () => {
    const blocks = sqlBlocks(await readFile(join(root, 'docs/operators/install.md'), 'utf8'));
    expect(await loginsOf(database.url, blocks.join('\n'))).toEqual({ ...wanted, weir_owner: [] });
  });

  test('deploy/logins.sql, which may run again', async () => {
    const text = await readFile(join(root, 'deploy/logins.sql'), 'utf8');
    expect(await loginsOf(database.url, `${text}\n${text}`)).toEqual(wanted);
  });
});
