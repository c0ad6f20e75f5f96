import { declaredStatements, openPool, type Sql } from '@weir/kit/sql';
import { newProject } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/names.js';
import { sessionSettings } from '../src/store/session-settings.js';
import { resolve, startTestVariables } from './test-variables.js';

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

function literal(value: unknown): string {
  if (!Array.isArray(value)) return `'${String(value)}'`;
  return `'{${value.map((item) => (typeof item === 'string' ? `"${item}"` : 'null')).join(',')}}'`;
}

test('a plan that a session made on empty tables reads no more than it has to, once they are full', async () => {
  await using service = await startTestVariables();
  await using session = openPool({
    url: service.databaseUrl,
    role: 'weir_variables_tenant',
    max: 1,
    settings: { ...sessionSettings, 'weir.project_id': '*' },
  });
  const run = async (text: string) => (await session.query({ text, values: [] })).rows;
  const [build] = declaredStatements as ((args: object) => Sql)[];
  const projectId = newProject();
  const variableNames = Array.from({ length: 10 }, (_, n) => `variable ${n}`);
  const names = Array.from({ length: 200 }, (_, n) => `logger ${n}`);
  const instruments = names.map((name) => ({ name, variableNames: new Set(variableNames) }));
  const { text, values } = build?.({ projectId, instruments }) ?? { text: '', values: [] };
  await run(`prepare names as ${text}`);
  const explain = `explain (analyze, buffers, format json) execute names (${values.map(literal).join(',')})`;
  await run(explain);
  await resolve(service.client, projectId, Object.fromEntries(names.map((name) => [name, variableNames])), 'automatic');
  const [row] = await run(explain);
  const plan = (row?.['QUERY PLAN'] as [{ Plan: Plan }] | undefined)?.[0].Plan;
  expect(plan?.['Actual Rows']).toBe(2000);
  // a lookup reads the two levels of its index, and the row
  expect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)).toBeLessThan(2000 * 6);
});
