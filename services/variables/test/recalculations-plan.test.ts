import { declaredStatements, type Sql } from '@weir/kit/sql';
import { newProject, readCost } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/recalculations.js';
import { openTestSession, startTestVariables } from './test-variables.js';

test('a page of a state reads its own runs alone, by a plan that was made on empty tables', async () => {
  await using service = await startTestVariables();
  await using session = openTestSession(service);
  const run = (text: string) => session.query({ text, values: [] });
  const [, , build] = declaredStatements as ((args: object) => Sql)[];
  const projectId = newProject();
  const least = '00000000-0000-0000-0000-000000000000';
  const before = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  const { text, values } = build?.({ projectId, state: 'queued', least, before, limit: 10 }) ?? {
    text: '',
    values: [],
  };
  await run(`prepare page as ${text}`);
  const execution = `page (${values.map((v) => `'${String(v)}'`).join(',')})`;
  await readCost(session, execution);
  await run(`insert into variables.recalculations
      (project_id, run_id, state, cause_kind, cause_id, created_by, finished_at)
    select '${projectId}', ('01920000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,
      case when n <= 20 then 'queued' else 'succeeded' end, 'instrument', '${projectId}', '{}',
      case when n > 20 then now() end
    from generate_series(1, 20000) as n`);
  const { rows, blocks } = await readCost(session, execution);
  expect(rows).toBe(10);
  expect(blocks).toBeLessThan(20);
});
