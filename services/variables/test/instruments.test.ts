import { randomUUID } from 'node:crypto';
import { openPool, sql } from '@weir/kit/sql';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

test('an instrument with everything', async () => {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const { id: siteId } = await seed.site('A');
  const fields = {
    description: 'd',
    manufacturer: 'Campbell',
    model: 'CR1000X',
    serialNumber: '42',
    metadata: { mast: 'north' },
  };
  const instrument = await seed.instrument('logger', siteId, fields);
  expect(instrument).toMatchObject({ ...fields, projectId, siteId, name: 'logger', revision: 1 });
  expect(instrument.lifecycle?.state).toBe('active');
  expect(await client.getInstrument({ projectId, instrumentId: instrument.id })).toEqual({ instrument });
});

test('what is not there, or of another project', async () => {
  const { client } = service;
  const projectId = newProject();
  const { id: instrumentId } = await seedOf(client, projectId).instrument('A');
  for (const wrong of [
    { projectId: newProject(), instrumentId },
    { projectId, instrumentId: randomUUID() },
    { projectId, instrumentId: 'x' },
  ]) {
    expect(await errorOf(client.getInstrument(wrong))).toBe('not_found');
    expect(await errorOf(client.archiveInstrument({ ...wrong, actor: operator }))).toBe('not_found');
    expect(await errorOf(client.restoreInstrument({ ...wrong, actor: operator }))).toBe('not_found');
  }
});

test('a site that is not of the project', async () => {
  const { client } = service;
  const { id: foreign } = await seedOf(client, newProject()).site('A');
  const seed = seedOf(client, newProject());
  for (const siteId of [foreign, randomUUID(), 'x', '']) {
    expect(await errorOf(seed.instrument('A', siteId))).toBe('invalid_request /site_id');
  }
});

test('names are unique within a site and among the siteless', async () => {
  const seed = seedOf(service.client, newProject());
  const { id: north } = await seed.site('north');
  const { id: south } = await seed.site('south');
  for (const siteId of [undefined, north, south]) {
    await seed.instrument('A', siteId);
    expect(await errorOf(seed.instrument('A', siteId))).toBe('name_conflict /name');
    await seed.instrument('a', siteId);
  }
});

test('archive and restore, each idempotent; a taken name is refused', async () => {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const { id: instrumentId } = await seed.instrument('A');
  const change = { projectId, instrumentId, actor: operator };
  const { instrument: archived } = await client.archiveInstrument(change);
  expect(archived).toMatchObject({ revision: 2, lifecycle: { state: 'archived', archivedBy: operator } });
  const again = await client.archiveInstrument({ ...change, actor: { type: 'user', id: 'other' } });
  expect(again.instrument).toEqual(archived);
  expect(await errorOf(client.getInstrument(change))).toBe('not_found');
  expect((await client.getInstrument({ ...change, includeArchived: true })).instrument).toEqual(archived);

  const { id: heir } = await seed.instrument('A');
  expect(await errorOf(client.restoreInstrument(change))).toBe('name_conflict /name');
  await client.archiveInstrument({ ...change, instrumentId: heir });
  const { instrument: restored } = await client.restoreInstrument(change);
  expect(restored).toMatchObject({ revision: 3, lifecycle: { state: 'active' } });
  expect((await client.restoreInstrument(change)).instrument).toEqual(restored);
});

test('the schema itself refuses links between projects, and names that are no names', async () => {
  const { client, databaseUrl } = service;
  const { id: foreign } = await seedOf(client, newProject()).site('A');
  const { id: instrument } = await seedOf(client, newProject()).instrument('A');
  await using pool = openPool({ url: databaseUrl, max: 1 });
  const insert = (site: string | null, name: string) =>
    pool.query(sql`
      insert into variables.instruments (project_id, id, site_id, name, created_by, updated_by)
      values (${newProject()}, gen_random_uuid(), ${site}, ${name}, '{}', '{}')`);
  await expect(insert(foreign, 'A')).rejects.toMatchObject({ constraint: 'instruments_project_id_site_id_fkey' });
  await expect(insert(null, '')).rejects.toMatchObject({ constraint: 'instruments_name_check' });
  const variable = pool.query(sql`
    insert into variables.variables
      (project_id, id, instrument_id, name, alias, variable_type, value_type, view_options, created_by, updated_by)
    values (${newProject()}, gen_random_uuid(), ${instrument}, 'A', 'A', 'ingested', 'decimal', '{}', '{}', '{}')`);
  await expect(variable).rejects.toMatchObject({ constraint: 'variables_project_id_instrument_id_fkey' });
});
