import { declaredStatements, indexWalks, openPool, type Sql, sql } from '@weir/kit/sql';
import { newProject, readCost } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/dashboards.js';
import { startTestDashboards } from './test-dashboards.js';

const count = 100_000;
const readMax = 51;

function idOf(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

test('pages 1 and 2,000 cost the same, by a plan that a session made on an empty table', async () => {
  await using service = await startTestDashboards();
  await using session = openPool({
    url: service.databaseUrl,
    role: 'weir_dashboards_tenant',
    max: 1,
    settings: { ...indexWalks, 'weir.project_id': '*' },
  });
  const projectId = newProject();
  const list = { projectId, after: idOf(0), q: '', includeArchived: false, readMax };
  const build = (declaredStatements as ((args: object) => Sql)[]).find((each) => /limit \$\d$/.test(each(list).text));
  await session.query({ text: `prepare list as ${build?.(list).text ?? ''}`, values: [] });
  const costAfter = (after: string) => {
    const values = [projectId, after, 'false', 'true', null, String(readMax)];
    const literals = values.map((value) => (value === null ? 'null' : `'${value}'`)).join(', ');
    return readCost(session, `list(${literals})`);
  };
  expect(await costAfter(idOf(0))).toMatchObject({ rows: 0 });
  await session.query(sql`
    insert into dashboards.dashboards (project_id, id, name, widget_count, created_by, updated_by)
    select ${projectId}, ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'name ' || number, 0,
      '{}', '{}'
    from generate_series(1, ${count}::integer) as number`);
  const first = await costAfter(idOf(0));
  const last = await costAfter(idOf(count - readMax));
  expect(first.rows).toBe(readMax);
  expect(last.rows).toBe(readMax);
  // the levels of the index, and a look at each row
  expect(first.blocks).toBeLessThan(readMax + 10);
  expect(Math.abs(last.blocks - first.blocks)).toBeLessThan(5);
});
