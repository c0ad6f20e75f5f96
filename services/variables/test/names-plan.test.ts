import { declaredStatements, type Sql } from '@weir/kit/sql';
import pg from 'pg';
import { expect, test } from 'vitest';
import '../src/store/names.js';
import { sessionSettings } from '../src/store/session-settings.js';
import { newProject, resolve, startTestVariables } from './test-variables.js';

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

function literal(value: unknown): string {
  if (!Array.isArray(value)) return typeof value === 'string' ? pg.escapeLiteral(value) : 'null';
  return `'{${value.map((item) => (typeof item === 'string' ? `"${item}"` : 'null')).join(',')}}'`;
}

test('a plan that a session made on empty tables reads no more than it has to, once they are full', async () => {
  await using service = await startTestVariables();
  const session = new pg.Client({ connectionString: service.databaseUrl });
  await session.connect();
  try {
    for (const [name, value] of Object.entries(sessionSettings)) await session.query(`set ${name} = ${value}`);
    const [build] = declaredStatements as ((args: object) => Sql)[];
    const projectId = newProject();
    const variableNames = Array.from({ length: 10 }, (_, n) => `variable ${n}`);
    const names = Array.from({ length: 200 }, (_, n) => `logger ${n}`);
    const instruments = names.map((name) => ({ name, variableNames: new Set(variableNames) }));
    const { text, values } = build?.({ projectId, instruments }) ?? { text: '', values: [] };
    await session.query(`prepare names as ${text}`);
    const explain = `explain (analyze, buffers, format json) execute names (${values.map(literal).join(',')})`;
    await session.query(explain);
    await resolve(
      service.client,
      projectId,
      Object.fromEntries(names.map((name) => [name, variableNames])),
      'automatic',
    );
    const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(explain);
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    expect(plan?.['Actual Rows']).toBe(2000);
    // a lookup reads the two levels of its index, and the row
    expect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)).toBeLessThan(2000 * 6);
  } finally {
    await session.end();
  }
});
