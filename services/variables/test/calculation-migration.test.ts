import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig } from '@weir/kit/config';
import { newId } from '@weir/kit/ids';
import { createLogger } from '@weir/kit/log';
import { findMigrations, migrate } from '@weir/kit/migrations';
import { connect } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { createEmptyDatabase } from '@weir/kit/testing';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { expect, test } from 'vitest';
import { settings } from '../src/config.js';
import { startVariables } from '../src/service.js';

const root = new URL('../../..', import.meta.url).pathname;

test('what the release before has left to be computed is told, the oldest run first', async () => {
  await using database = await createEmptyDatabase();
  const service = (await findMigrations(root)).filter((set) => set.service === 'variables');
  const before = await mkdtemp(join(tmpdir(), 'weir-migrations-'));
  const files = ['0001_create_catalog.sql', '0002_create_groups.sql', '0003_create_calculations.sql'];
  for (const file of files) await cp(join(service[0]?.directory ?? '', file), join(before, file));
  await migrate(database.url, [{ service: 'variables', directory: before }]);
  await rm(before, { recursive: true });

  const projectId = newId();
  const [instrumentId, level, waiting, overtaken, done, empty] = Array.from({ length: 6 }, newId);
  const [oldRun, newRun, doneRun] = Array.from({ length: 3 }, newId);
  const actor = `'{"type":"user","id":"x"}', '{"type":"user","id":"x"}'`;
  const variable = (id: string | undefined, name: string, type: string) => `insert into variables.variables
    (project_id, id, instrument_id, name, alias, variable_type, value_type, view_options, created_by, updated_by)
    values ('${projectId}', '${id}', '${instrumentId}', '${name}', '${name}', '${type}', 'decimal', '{}', ${actor})`;
  const calculation = (id: string | undefined) => `insert into variables.calculations values
    ('${projectId}', '${id}', 'aaaaaaaaaaaaaaaaaaaaa', 'epoch', 'no (language', '[]')`;
  const recalculation = (id: string | undefined, state: string) => `insert into variables.recalculations values
    ('${projectId}', '${id}', '${state}', 'instrument', '${instrumentId}', '{}', ${state === 'queued' ? 'null' : 'now()'})`;
  const range = (run: string | undefined, id: string | undefined, generation: number) =>
    `insert into variables.recalculation_ranges values
    ('${projectId}', '${run}', '${id}', 'epoch', 'epoch'::timestamptz + '1 s', ${generation})`;
  await using pool = openPool({ url: database.url, max: 1 });
  for (const text of [
    `insert into variables.catalogs (project_id) values ('${projectId}')`,
    `insert into variables.instruments (project_id, id, name, created_by, updated_by)
      values ('${projectId}', '${instrumentId}', 'logger', ${actor})`,
    variable(level, 'level', 'ingested'),
    ...[waiting, overtaken, done, empty].map((id, at) => variable(id, `v${at}`, 'calculated')),
    ...[waiting, overtaken, done].map(calculation),
    recalculation(oldRun, 'queued'),
    recalculation(newRun, 'queued'),
    recalculation(doneRun, 'succeeded'),
    range(oldRun, overtaken, 1),
    range(newRun, overtaken, 2),
    range(newRun, waiting, 1),
    range(doneRun, done, 1),
  ]) {
    await pool.query({ text, values: [] });
  }

  await migrate(database.url, service);
  const config = parseConfig(settings, { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0' });
  await using started = await startVariables(config, createLogger('variables', 'silent'));
  using client = connect(VariablesServiceDefinition, started.address);
  const { changes } = await client.listCalculationChanges({ limit: 10 });
  const told = changes.map(({ series, runId, runChanges, ranges }) => [
    series?.variableId,
    runId,
    runChanges,
    ranges.map(({ startUs, endUs }) => `${startUs} ${endUs}`).join(),
  ]);
  const seconds = '0 1000000';
  expect(told.slice(0, 1)).toEqual([[overtaken, oldRun, 1, seconds]]);
  // of one run in no certain order
  expect(new Set(told.slice(1, 3))).toEqual(
    new Set([
      [overtaken, newRun, 2, seconds],
      [waiting, newRun, 2, seconds],
    ]),
  );
  expect(told.slice(3)).toEqual([[done, '', 0, '']]);
  // what cannot be evaluated is told as it is stored: processors say so on its runs
  expect(changes[0]?.series).toMatchObject({ version: 1, isActive: true, pieces: [{ expression: 'no (language' }] });
  const { recalculation: run } = await client.getRecalculation({ projectId, runId: newRun ?? '' });
  expect(run).toMatchObject({ state: 'queued', progress: { rangesTotal: 2, rangesDone: 0, missing: {} } });
});
