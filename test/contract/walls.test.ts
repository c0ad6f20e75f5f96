import { openPool, type Transaction } from '@weir/kit/sql';
import { afterAll, describe, expect, test } from 'vitest';
import { declaredSettings } from '../chart/declared-settings.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller } from './calls.js';
import { readServedDocument } from './served-document.js';
import { createWorlds } from './world.js';

/** What keeps projects and services apart in the database, on the records of two projects. */
const stack = await openTestStack();
const database = openPool({ url: stack.databaseUrl, max: 2 });
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const { operations } = await readServedDocument(stack.gatewayUrl);
const projects: string[] = [];
for (const tenant of [await createTenant(stack.addresses.access), await createTenant(stack.addresses.access)]) {
  const { projectId, developerKey, ingestionKey } = tenant;
  const call = createCaller(stack.gatewayUrl, { developer: developerKey, ingestion: ingestionKey }, projectId);
  const world = createWorlds(operations).open(call);
  // makes what they name
  for (const operation of operations) await world.example(operation);
  projects.push(projectId);
}
await stack.drained();

/** Roles that services run their statements as, with their schemas. */
const roles = Object.values(declaredSettings).flatMap(({ databaseRole }) => {
  const role = databaseRole?.default;
  return role === undefined ? [] : [{ role, schema: /^weir_([a-z]+)/.exec(role)?.[1] ?? '' }];
});
const schemas = [...new Set(roles.map(({ schema }) => schema))];

interface Table {
  readonly table: string;
  readonly isWalled: boolean;
}
const read = async (text: string) => (await database.query({ text, values: [] })).rows;
const tables: Table[] = (
  await read(
    `select format('%I.%I', relnamespace::regnamespace, relname) as table, relrowsecurity and relforcerowsecurity as walled
     from pg_class
     where relnamespace::regnamespace::text in ('${schemas.join("', '")}') and relkind in ('r', 'p') and not relispartition
     order by 1`,
  )
).map(({ table, walled }) => ({ table: String(table), isWalled: walled === true }));
const walledOf = (schema: string) =>
  tables.flatMap(({ table, isWalled }) => (isWalled && table.startsWith(`${schema}.`) ? [table] : []));

/** Runs one statement as a role, in the scope of a project. */
async function queryAs(role: string, scope: string | undefined, text: string): Promise<Record<string, unknown>[]> {
  const undo = new Error('undo');
  let rows: Record<string, unknown>[] = [];
  const work = async (tx: Transaction): Promise<void> => {
    await tx.query({ text: `set local role ${role}`, values: [] });
    if (scope !== undefined) await tx.query({ text: `set local weir.project_id = '${scope}'`, values: [] });
    rows = (await tx.query({ text, values: [] })).rows;
    throw undo;
  };
  await database.transaction(work).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  return rows;
}

const countAs = async (role: string, scope: string | undefined, table: string): Promise<number> =>
  Number((await queryAs(role, scope, `select count(*)::integer as count from ${table}`))[0]?.['count']);

const mayRead = async (role: string, table: string): Promise<boolean> =>
  (await read(`select has_table_privilege('${role}', '${table}', 'select') as may`))[0]?.['may'] === true;

test('S7: every table has policies that bind its owner too, but for those that are reached through one that has', () => {
  expect(tables.filter(({ isWalled }) => !isWalled).map(({ table }) => table)).toEqual([
    'access.migrations',
    // of no project
    'access.organizations',
    // by the id of a key or of a connection
    'access.secrets',
    'dashboards.migrations',
    // by the id of a batch
    'ingestion.batch_results',
    // by the id of a connection
    'ingestion.idempotency_keys',
    'ingestion.migrations',
    // by the key of a series
    'observations.change_horizons',
    'observations.changes',
    'observations.dirty',
    'observations.migrations',
    'observations.observations',
    'observations.readers',
    'observations.rollup_states',
    'observations.rollups',
    'observations.taken_changes',
    'parsers.migrations',
    // by the id of an instrument
    'variables.aliases',
    'variables.migrations',
  ]);
});

describe.each(roles)('S7: $role', ({ role, schema }) => {
  test('sees no row without a project, those of one project with it, and those of all only when it says so', async () => {
    let seen = 0;
    for (const table of walledOf(schema)) {
      if (!(await mayRead(role, table))) continue;
      const unset = await countAs(role, undefined, table);
      const none = await countAs(role, '', table);
      const first = await countAs(role, projects[0] ?? '', table);
      const second = await countAs(role, projects[1] ?? '', table);
      const all = await countAs(role, '*', table);
      expect({ table, unset, none, sum: first + second }).toEqual({ table, unset: 0, none: 0, sum: all });
      seen += first;
    }
    expect(seen).toBeGreaterThan(0);
  });

  test.each(schemas.filter((other) => other !== schema))('reads nothing of the schema %s', async (other) => {
    for (const { table } of tables.filter((one) => one.table.startsWith(`${other}.`)))
      await expect(queryAs(role, '*', `select from ${table} limit 1`), table).rejects.toMatchObject({ code: '42501' });
  });

  test('has no login, no rights beyond its tables, and those of no other role', async () => {
    const found = await read(
      `select rolcanlogin or rolsuper or rolcreaterole or rolcreatedb or rolbypassrls as is_mighty,
         exists (select from pg_auth_members where member = role.oid) as is_member
       from pg_roles as role where rolname = '${role}'`,
    );
    expect(found).toEqual([{ is_mighty: false, is_member: false }]);
  });

  test('of the release before sees what it saw', async () => {
    const before = role.replace(/_tenant$/, '');
    for (const table of walledOf(schema)) {
      if (!(await mayRead(before, table))) continue;
      const [whole] = await read(`select count(*)::integer as count from ${table}`);
      expect(await countAs(before, undefined, table), table).toBe(whole?.['count']);
    }
  });
});

test('S7: a row of another project is not written, whatever the statement says', async () => {
  const [mine = '', other = ''] = projects;
  const rename = `update parsers.parsers set name = 'mine' where project_id = '${other}' returning id`;
  expect(await queryAs('weir_parsers_tenant', mine, rename)).toEqual([]);
  const move = `update parsers.parsers set project_id = '${other}', id = gen_random_uuid(), archived_at = now(), archived_by = '{}'`;
  await expect(queryAs('weir_parsers_tenant', mine, move)).rejects.toThrow('row-level security');
});
