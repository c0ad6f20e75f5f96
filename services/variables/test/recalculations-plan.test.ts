import { declaredStatements, openPool, type Sql } from '@weir/kit/sql';
import { newProject } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/recalculations.js';
import { sessionSettings } from '../src/store/session-settings.js';
import { startTestVariables } from './test-variables.js';

test('a page of a state reads its own runs alone, by a plan that was made on empty tables', async () => {
  await using service = await startTestVariables();
  await using session = openPool({
    url: service.databaseUrl,
    role: 'weir_variables_tenant',
    max: 1,
    settings: { ...sessionSettings, 'weir.project_id': '*' },
  });
  const run = async (text: string) => (await session.query({ text, values: [] })).rows;
  const [, , build] = declaredStatements as ((args: object) => Sql)[];
  const projectId = newProject();
  const least = '00000000-0000-0000-0000-000000000000';
  const before = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const { text, values } = build?.({ projectId, state: 'queued', least, before, limit: 10 }) ?? {
    text: '',
    values: [],
  };
  await run(`prepare page as ${text}`);
  const explain = `explain (analyze, buffers, format json) execute page (${values.map((v) => `'${String(v)}'`).join(',')})`;
  await run(explain);
  await run(`insert into variables.recalculations
      (project_id, run_id, state, cause_kind, cause_id, created_by, finished_at)
    select '${projectId}', ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      case when n <= 20 then 'queued' else 'succeeded' end, 'instrument', '${projectId}', '{}',
      case when n > 20 then now() end
    from generate_series(1, 20000) as n`);
  const [row] = await run(explain);
  const plan = (row?.['QUERY PLAN'] as [{ Plan: Record<string, number> }] | undefined)?.[0].Plan;
  expect(plan?.['Actual Rows']).toBe(10);
  expect((plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0)).toBeLessThan(20);
});
