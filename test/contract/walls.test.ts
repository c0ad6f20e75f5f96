import { readFile } from 'node:fs/promises';
import { type AuditedService, auditedServices } from '@weir/kit/audit';
import { connect } from '@weir/kit/rpc';
import { openPool, type Transaction } from '@weir/kit/sql';
import { AuditServiceDefinition, type Entry } from '@weir/proto/audit';
import { databaseRoles } from '@weir/stack';
import { afterAll, describe, expect, test } from 'vitest';
import { declaredSettings } from '../chart/declared-settings.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { createCaller } from './calls.js';
import { type DocumentedOperation, readServedDocument } from './served-document.js';
import { createWorlds } from './world.js';

/** What keeps projects and services apart in the database, on the records of two projects. */
const stack = await openTestStack();
const database = openPool({ url: stack.databaseUrl, max: 2 });
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const { operations } = await readServedDocument(stack.gatewayUrl);
const tenants = [await createTenant(stack.addresses.access), await createTenant(stack.addresses.access)];
const projects = tenants.map(({ projectId }) => projectId);
for (const tenant of tenants) {
  const { projectId, developerKey, ingestionKey } = tenant;
  const call = createCaller(stack.gatewayUrl, { developer: developerKey, ingestion: ingestionKey }, projectId);
  const world = createWorlds(operations).open(call);
  // makes what they name
  for (const operation of operations) await world.example(operation);
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
    // by the id of a batch
    'observations.stored_batches',
    'observations.taken_changes',
    'parsers.migrations',
    // by the id of an instrument
    'variables.aliases',
    'variables.migrations',
  ]);
});

test.each(Object.keys(databaseRoles))('S7: %s has the URL of its own login, and no other', async (name) => {
  const { pid } = stack.process(name === 'processor' ? 'processor-1' : name);
  const environment = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0');
  const logins = environment.flatMap((variable) => /=postgres:\/\/([^:@/]*)/.exec(variable)?.[1] ?? []);
  expect(logins).toEqual([`weir_${name}_login`]);
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
      // an organization is of no project
      const ofProjects = table === 'access.audit_entries' ? `${table} where project_id is not null` : table;
      const all = await countAs(role, '*', ofProjects);
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

describe('what was changed', () => {
  const [tenant] = tenants;
  const entriesOf = async (service: AuditedService, recordId = '') => {
    using client = connect(AuditServiceDefinition, stack.addresses[service]);
    return (await client.listEntries({ projectId: tenant?.projectId ?? '', recordId, limit: 1000 })).entries;
  };
  const actor = { type: 'developer_api_key', id: tenant?.developerKeyId };
  const call = createCaller(
    stack.gatewayUrl,
    { developer: tenant?.developerKey ?? '', ingestion: '' },
    tenant?.projectId ?? '',
  );
  const operation = (id: string) => operations.find(({ operationId }) => operationId === id) as DocumentedOperation;
  const told = ({ action, revisionBefore, revisionAfter, changed }: Entry) =>
    [action, revisionBefore, revisionAfter, changed.join()].join(' ');

  test('stands in the service that owns it: who, what, when, and the revisions', async () => {
    const body = JSON.stringify({ name: 'audited' });
    const created = await call(operation('developerapi_sites_create'), { body });
    const { id } = JSON.parse(created.text).data as { id: string };
    const path = { site_id: id };
    await call(operation('developerapi_sites_update'), { path, body: JSON.stringify({ description: 'by the river' }) });
    await call(operation('developerapi_sites_update'), { path, body: JSON.stringify({ description: 'by the river' }) });
    await call(operation('developerapi_sites_archive'), { path });
    await call(operation('developerapi_sites_archive'), { path });
    await call(operation('developerapi_sites_restore'), { path });
    const entries = await entriesOf('variables', id);
    expect(entries.map(told)).toEqual([
      'restored 3 4 archived_at',
      'archived 2 3 archived_at',
      'updated 1 2 description',
      'created  1 ',
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ actor, recordType: 'site', recordId: id });
    expect(Math.abs((entries[0]?.atUs ?? 0) / 1000 - Date.now())).toBeLessThan(60_000);
  });

  test('has an entry for each record that was made, of one project alone', async () => {
    const types = new Set<string>();
    for (const service of auditedServices) {
      for (const entry of await entriesOf(service)) {
        expect(entry.projectId).toBe(tenant?.projectId);
        types.add(`${entry.recordType} ${entry.action}`);
      }
    }
    for (const made of [
      'dashboard',
      'parser',
      'site',
      'instrument',
      'variable',
      'calibration_constant',
      'instrument_group',
    ])
      expect([...types]).toContain(`${made} created`);
    for (const made of ['project', 'developer_api_key', 'ingestion_connection', 'secret'])
      expect([...types]).toContain(`${made} created`);
  });

  test('says who took an instrument out of a group, though the row is gone', async () => {
    const world = createWorlds(operations).open(call);
    const remove = operation('developerapi_instrument_group_members_remove');
    const example = await world.example(remove);
    await call(operation('developerapi_instrument_group_members_add'), example);
    await call(remove, example);
    const recordId = `${example.path['group_id']}/${example.path['instrument_id']}`;
    expect((await entriesOf('variables', recordId)).map(({ action, actor: who }) => ({ action, who }))).toEqual([
      { action: 'removed', who: actor },
      { action: 'added', who: actor },
    ]);
  });

  test('is told by one and the same function in each schema, but for access, whose rows name their project otherwise', async () => {
    const services = auditedServices.filter((service) => service !== 'access');
    const functions = await read(
      `select pronamespace::regnamespace::text as service, prosrc as body from pg_proc
       where proname = 'audit_change' and pronamespace::regnamespace::text in ('${services.join("', '")}')`,
    );
    const bodies = functions.map(({ service, body }) => String(body).replaceAll(`${service}.audit_entries`, ''));
    expect(bodies).toHaveLength(services.length);
    expect(new Set(bodies).size).toBe(1);
  });

  test.each(roles.filter(({ schema }) => schema !== 'observations'))(
    'is changed by no statement of $role',
    async ({ role, schema }) => {
      const table = `${schema}.audit_entries`;
      const values = `(actor, action, record_type, record_id, changed) values ('{}', 'created', 'site', 'x', '{}')`;
      for (const text of [`insert into ${table} ${values}`, `update ${table} set action = ''`, `delete from ${table}`])
        await expect(queryAs(role, '*', text), text).rejects.toMatchObject({ code: '42501' });
    },
  );
});
