import { type Pool, type Sql, type Statement, sql } from '@weir/kit/sql';
import { newProject } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { selectConstantPage } from '../src/store/constants.js';
import { selectMemberPage } from '../src/store/group-members.js';
import { selectGroupPage } from '../src/store/groups.js';
import {
  selectInstrumentPage,
  selectInstrumentPageOfGroup,
  selectInstrumentPageOfSite,
} from '../src/store/instrument-pages.js';
import { selectInstruments } from '../src/store/instruments.js';
import { selectReferences } from '../src/store/references.js';
import { selectSitePage } from '../src/store/sites.js';
import { selectVariablePage, selectVariablePageOfInstrument } from '../src/store/variable-pages.js';
import { selectVariables } from '../src/store/variables.js';
import { openTestSession, startTestVariables } from './test-variables.js';

interface PlanNode {
  readonly 'Index Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

interface Plan extends PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

const records = 100_000;
const limit = 50;
const projectId = newProject();
const otherId = newProject();

/** Ids of one kind in ascending order; those of two projects lie among each other. */
const idOf = (number: number): string => `01920000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;

/**
 * Two projects with records of each family, all instruments at one site and in one group,  all variables of one.
 * In the session that explains, which would be given up if it were idle for long.
 */
async function fill(pool: Pool): Promise<void> {
  const who = { type: 'system', id: 'test' };
  // what is filled in is sound: neither foreign keys nor triggers need to look at it
  await pool.query(sql`set role none`);
  await pool.query(sql`set session_replication_role = replica`);
  await pool.query(sql`
    create temporary table made as
    select n, case when n % 2 = 1 then ${projectId}::uuid else ${otherId}::uuid end as project_id,
      ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id
    from generate_series(0, ${2 * records}::int) as n`);
  await pool.query(sql`
    insert into variables.sites (project_id, id, name, created_by, updated_by)
    select project_id, id, 'site ' || n, ${who}, ${who} from made`);
  await pool.query(sql`
    insert into variables.groups (project_id, id, name, created_by, updated_by)
    select project_id, id, 'group ' || n, ${who}, ${who} from made`);
  await pool.query(sql`
    insert into variables.instruments (project_id, id, site_id, name, created_by, updated_by)
    select project_id, id, case when n % 2 = 1 then ${idOf(1)}::uuid end, 'logger ' || n, ${who}, ${who} from made`);
  await pool.query(sql`
    insert into variables.variables
      (project_id, id, instrument_id, name, alias, variable_type, value_type, view_options, created_by, updated_by)
    select project_id, id, ${idOf(1)}, 'variable ' || n, 'v_' || n, 'ingested', 'decimal', '{}', ${who}, ${who}
    from made where project_id = ${projectId}`);
  await pool.query(sql`
    insert into variables.constants (project_id, id, instrument_id, name, alias, created_by, updated_by)
    select project_id, id, case when n % 2 = 1 then ${idOf(1)}::uuid else ${idOf(2)}::uuid end, 'constant ' || n,
      'c_' || n, ${who}, ${who}
    from made`);
  await pool.query(sql`
    insert into variables.group_members (project_id, group_id, instrument_id, added_by)
    select project_id, ${idOf(1)}, id, ${who} from made where project_id = ${projectId} order by n`);
}

function literal(value: unknown): string {
  if (value === undefined || value === null) return 'null';
  return Array.isArray(value) ? `'{${value.join(',')}}'` : `'${String(value)}'`;
}

/** The SQL that a statement sends. */
async function sqlOf<A>(statement: Statement<A, unknown>, args: A): Promise<Sql> {
  const sent: Sql[] = [];
  const db: Parameters<typeof statement.all>[0] = {
    query: async (built) => {
      sent.push(built);
      return { rows: [], rowCount: 0, command: '', oid: 0, fields: [] };
    },
  };
  await statement.all(db, args);
  return sent[0] as Sql;
}

const page = { projectId, q: '', includeArchived: false, readMax: limit + 1 };
const ofSite = { ...page, siteId: idOf(1) };
const ofGroup = { ...page, groupId: idOf(1), siteId: undefined };
const ofInstrument = { ...page, instrumentId: idOf(1), variableType: undefined };

const ids = Array.from({ length: limit + 1 }, (_, n) => idOf(2 * 997 * n + 1));
const scope = { instrumentId: undefined, groupId: undefined };

/** Each way to read records by their ids, and an index that it uses. */
const reads: readonly (readonly [index: string, make: () => Promise<Sql>])[] = [
  ['instruments_pkey', () => sqlOf(selectInstruments, { projectId, instrumentIds: ids })],
  ['variables_id_key', () => sqlOf(selectVariables, { ...page, ...scope, variableIds: ids })],
  ['variables_id_key', () => sqlOf(selectReferences, { projectId, variableIds: ids, instrumentIds: [], groupIds: [] })],
];

/** Each list: its statement for the page after so many records, and the index that it walks. */
const pages: readonly (readonly [index: string, make: (after: number) => Promise<Sql>])[] = [
  ['sites_project_id_id_idx', (n) => sqlOf(selectSitePage, { ...page, after: idOf(2 * n) })],
  ['groups_project_id_id_idx', (n) => sqlOf(selectGroupPage, { ...page, after: idOf(2 * n) })],
  ['instruments_project_id_id_idx', (n) => sqlOf(selectInstrumentPage, { ...page, after: idOf(2 * n) })],
  ['instruments_site_id_id_idx', (n) => sqlOf(selectInstrumentPageOfSite, { ...ofSite, after: idOf(2 * n) })],
  ['group_members_pkey', (n) => sqlOf(selectInstrumentPageOfGroup, { ...ofGroup, after: idOf(2 * n) })],
  ['group_members_group_id_member_key_idx', (n) => sqlOf(selectMemberPage, { ...ofGroup, after: n })],
  ['variables_project_id_id_idx', (n) => sqlOf(selectVariablePage, { ...ofInstrument, after: idOf(2 * n) })],
  [
    'variables_instrument_id_id_idx',
    (n) => sqlOf(selectVariablePageOfInstrument, { ...ofInstrument, after: idOf(2 * n) }),
  ],
  ['constants_instrument_id_id_idx', (n) => sqlOf(selectConstantPage, { ...ofInstrument, after: idOf(2 * n) })],
];

const statements = [...pages, ...reads];

const indexesOf = ({ 'Index Name': index, Plans: plans = [] }: PlanNode): string[] => [
  ...(index === undefined ? [] : [index]),
  ...plans.flatMap(indexesOf),
];

test('page 1 and page 2,000 of 100,000 walk the same index, by plans made on empty tables and on full ones', async () => {
  await using service = await startTestVariables();
  await using session = openTestSession(service);
  const explain = async (number: number, { values }: Sql): Promise<Plan> => {
    const text = `explain (analyze, buffers, format json) execute list_${number} (${values.map(literal).join(',')})`;
    const { rows } = await session.query({ text, values: [] });
    const [{ Plan: plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'];
    return plan;
  };
  await session.query(sql`analyze`);
  for (const [number, [, make]] of statements.entries()) {
    const built = await make(0);
    await session.query({ text: `prepare list_${number} as ${built.text}`, values: [] });
    await explain(number, built);
  }
  await fill(session);
  for (const state of ['made on empty tables', 'made on full ones']) {
    for (const [number, [index, make]] of statements.entries()) {
      for (const after of [0, records - limit - 1]) {
        const what = `${index}, after ${after}, ${state}`;
        const plan = await explain(number, await make(after));
        expect(plan['Actual Rows'], what).toBe(limit + 1);
        expect(indexesOf(plan), what).toContain(index);
        // a record costs a walk to it, and where it has a parent one to that
        expect(plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], what).toBeLessThan((limit + 1) * 10);
      }
    }
    // plans are made anew after it
    await session.query(sql`analyze`);
  }
}, 120_000);
