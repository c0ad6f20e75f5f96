import { declaredStatements } from '@weir/kit/sql';
import { type PlanNode, type PlannedStatement, planStatements, type TestDatabase } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixedPlans } from '../src/store/fixed-plans.js';
import { testDatabase } from './test-servers.js';

/**
 * The tables that a variable's rows are spread over: on one database today, on many by `variable_key` with
 * Citus (docs/operators/growth.md). What is asked of them must say of which variables.
 */
const spread = /^(series|observations(_.+)?|changes|rollups|rollup_states)$/;

/** What is about all variables on purpose. */
const acrossVariables: readonly { readonly statement: RegExp; readonly why: string }[] = [
  { statement: /^delete from observations\.changes where xid </, why: 'forgets what is old, of all' },
  { statement: /^select distinct change\.variable_key/, why: 'finds the variables whose rollups may have to change' },
  { statement: /series\.instrument_id = asked\.instrument_id/, why: 'asks for the variables of instruments' },
];

let database: TestDatabase;
let queries: readonly PlannedStatement[];
let all: readonly PlannedStatement[];
beforeAll(async () => {
  database = await testDatabase();
  await import('./stores-of-query.js');
  const count = declaredStatements.length;
  await import('./stores-of-processor.js');
  all = await planStatements(database.url, undefined, fixedPlans);
  queries = all.slice(0, count);
});
afterAll(() => database[Symbol.asyncDispose]());

interface Scan {
  readonly table: string;
  /** What the rows of the scan are chosen by, there and in the joins above. */
  readonly conditions: string;
}

/** Every scan of a spread table in a plan. */
function scansOf(node: PlanNode, above: string = ''): Scan[] {
  const own = Object.entries(node)
    .filter(([name]) => /(Cond|Filter)$/.test(name))
    .map(([, condition]) => String(condition));
  const conditions = [above, ...own].join(' ');
  const table = node['Relation Name'];
  const isScan = table !== undefined && node.Schema === 'observations' && node['Node Type'].endsWith('Scan');
  const below = (node.Plans ?? []).flatMap((child) => scansOf(child, conditions));
  return isScan && spread.test(table) ? [{ table, conditions }, ...below] : below;
}

const isAcross = ({ text }: PlannedStatement): boolean => acrossVariables.some(({ statement }) => statement.test(text));

describe('every statement on the tables of series', () => {
  test('is about variables that it names by variable_key, but for what is about all of them', () => {
    const unbound = all
      .filter((planned) => !isAcross(planned))
      .filter(({ plan }) => scansOf(plan).some(({ conditions }) => !/\bvariable_key\b/.test(conditions)));
    expect(unbound.map(({ text }) => text)).toEqual([]);
    // what is looked for is there: else this proves nothing
    const tables = new Set(all.flatMap(({ plan }) => scansOf(plan).map(({ table }) => table)));
    for (const table of ['series', 'observations_2026', 'changes']) expect(tables).toContain(table);
  });

  test('that writes gives rows their variable_key', () => {
    const inserts = all.flatMap(({ text }) => [...text.matchAll(/insert into observations\.(\w+)( as \w+)? \((\w+)/g)]);
    const spreadInserts = inserts.filter(([, table = '']) => spread.test(table));
    expect(spreadInserts.length).toBeGreaterThan(2);
    for (const [text, , , first] of spreadInserts) expect(first, text).toBe('variable_key');
  });

  test('has its exceptions, and no more of them than are named', () => {
    for (const { statement, why } of acrossVariables) {
      const matching = all.filter(({ text }) => statement.test(text));
      expect(matching.length, why).toBe(1);
    }
  });
});

test('every query is within one project, through the series that it reads', () => {
  expect(queries.length).toBeGreaterThan(5);
  for (const { text, plan } of queries) {
    const scans = scansOf(plan);
    if (scans.length === 0) continue;
    const series = scans.filter(({ table }) => table === 'series');
    expect(series.length, text).toBeGreaterThan(0);
    for (const { conditions } of series) expect(conditions, text).toMatch(/project_id = /);
  }
});
