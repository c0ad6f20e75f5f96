import { declaredStatements, openPool, type Sql } from '@weir/kit/sql';
import { newProject, readCost } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import '../src/store/calculation-changes.js';
import { calculationsOf, piece, self } from './test-calculations.js';
import { openTestSession, seedOf, startTestVariables } from './test-variables.js';

test('a page of a hundred thousand changes reads its own alone, by plans that were made on empty tables', async () => {
  await using service = await startTestVariables();
  await using session = openTestSession(service);
  const run = (text: string) => session.query({ text, values: [] });
  const [buildPage, buildSeries] = declaredStatements as ((args: object) => Sql)[];
  const page = buildPage?.({ after: 0, limit: 100, weightMax: 1e6 });
  await run(`prepare page as ${page?.text}`);
  await run(`prepare series as ${buildSeries?.({ variableIds: [] }).text}`);
  await readCost(session, 'page (0, 100, 1e6)');
  await readCost(session, `series ('{}')`);

  const projectId = newProject();
  const { calculated } = calculationsOf(service.client, projectId);
  const seed = seedOf(service.client, projectId);
  const { id } = await seed.instrument('logger');
  const level = await seed.variable('level', id);
  const flow = await calculated('flow', id, [piece('level', [self(level.id)])]);
  // without triggers and the checks of foreign keys
  await using admin = openPool({ url: service.databaseUrl, max: 1 });
  const seedRows = (text: string) => admin.query({ text, values: [] });
  await seedRows('set session_replication_role = replica');
  await seedRows(`insert into variables.variables
      (project_id, id, instrument_id, name, alias, variable_type, value_type, view_options, created_by, updated_by)
    select '${projectId}', gen_random_uuid(), '${id}', 'v' || n, 'v' || n, 'calculated', 'decimal', '{}', '{}', '{}'
    from generate_series(1, 10000) as n`);
  await seedRows(`insert into variables.calculations (project_id, variable_id, id, start_at, expression, editor_tokens)
    select project_id, id, 'aaaaaaaaaaaaaaaaaaaaa', 'epoch', 'x', '[]' from variables.variables where name like 'v%'`);
  await seedRows(`insert into variables.calculation_changes (project_id, variable_id)
    select project_id, id from variables.variables, generate_series(1, 10) where name like 'v%'`);
  const pageNow = await readCost(session, 'page (0, 100, 1e6)');
  expect(pageNow.rows).toBe(100);
  // each looks into a few indexes, as deep as they are
  expect(pageNow.blocks).toBeLessThan(100 * 15);
  const series = await readCost(session, `series ('{${flow.id}}')`);
  expect(series.rows).toBe(1);
  expect(series.blocks).toBeLessThan(60);
});
