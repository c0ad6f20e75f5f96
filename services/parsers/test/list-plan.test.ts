import { declaredStatements, indexWalks, openPool, type Sql, sql } from '@weir/kit/sql';
import { newProject } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/parsers.js';
import { startTestParsers } from './test-parsers.js';

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

const count = 100_000;
const readMax = 51;

function idOf(number: number): string {
  return `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}

test('pages 1 and 2,000 cost the same, by a plan that a session made on an empty table', async () => {
  await using service = await startTestParsers();
  await using session = openPool({
    url: service.databaseUrl,
    role: 'weir_parsers_tenant',
    max: 1,
    settings: { ...indexWalks, 'weir.project_id': '*' },
  });
  const run = async (text: string) => (await session.query({ text, values: [] })).rows;
  const projectId = newProject();
  const list = { projectId, after: idOf(0), q: '', includeArchived: false, readMax };
  const build = (declaredStatements as ((args: object) => Sql)[]).find((each) => /limit \$\d$/.test(each(list).text));
  await run(`prepare list as ${build?.(list).text ?? ''}`);
  const explain = async (after: string) => {
    const values = [projectId, after, 'false', 'true', null, String(readMax)];
    const literals = values.map((value) => (value === null ? 'null' : `'${value}'`)).join(', ');
    const [row] = await run(`explain (analyze, buffers, format json) execute list(${literals})`);
    const plan = (row?.['QUERY PLAN'] as [{ Plan: Plan }] | undefined)?.[0].Plan;
    return {
      rows: plan?.['Actual Rows'],
      blocks: (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0),
    };
  };
  expect(await explain(idOf(0))).toMatchObject({ rows: 0 });
  await session.query(sql`
    insert into parsers.parsers
      (project_id, id, name, type, version, configuration, canonical_size_bytes, created_by, updated_by)
    select ${projectId}, ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, 'name ' || number, 'csv',
      1, '{}', 2, '{}', '{}'
    from generate_series(1, ${count}::integer) as number`);
  const first = await explain(idOf(0));
  const last = await explain(idOf(count - readMax));
  expect(first.rows).toBe(readMax);
  expect(last.rows).toBe(readMax);
  // the levels of the index, and a look at each row
  expect(first.blocks).toBeLessThan(readMax + 10);
  expect(Math.abs(last.blocks - first.blocks)).toBeLessThan(5);
});
