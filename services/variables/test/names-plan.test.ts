import { declaredStatements, type Sql } from '@weir/kit/sql';
import { newProject, readCost } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/names.js';
import { openTestSession, resolve, startTestVariables } from './test-variables.js';

function literal(value: unknown): string {
  if (!Array.isArray(value)) return `'${String(value)}'`;
  return `'{${value.map((item) => (typeof item === 'string' ? `"${item}"` : 'null')).join(',')}}'`;
}

test('a plan that a session made on empty tables reads no more than it has to, once they are full', async () => {
  await using service = await startTestVariables();
  await using session = openTestSession(service);
  const [build] = declaredStatements as ((args: object) => Sql)[];
  const projectId = newProject();
  const variableNames = Array.from({ length: 10 }, (_, n) => `variable ${n}`);
  const names = Array.from({ length: 200 }, (_, n) => `logger ${n}`);
  const instruments = names.map((name) => ({ name, variableNames: new Set(variableNames) }));
  const { text, values } = build?.({ projectId, instruments }) ?? { text: '', values: [] };
  await session.query({ text: `prepare names as ${text}`, values: [] });
  const execution = `names (${values.map(literal).join(',')})`;
  await readCost(session, execution);
  await resolve(service.client, projectId, Object.fromEntries(names.map((name) => [name, variableNames])), 'automatic');
  const { rows, blocks } = await readCost(session, execution);
  expect(rows).toBe(2000);
  // a lookup reads the two levels of its index, and the row
  expect(blocks).toBeLessThan(2000 * 6);
});
