import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calculationsOf, constantInput, piece, rangesOf, self } from './test-calculations.js';
import { resolve, seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables({ VARIABLES_PER_INSTRUMENT_MAX: '2' });
});
afterAll(() => service[Symbol.asyncDispose]());

async function newLogger(projectId = newProject(), name = 'logger') {
  const seed = seedOf(service.client, projectId);
  const { id: instrumentId } = await seed.instrument(name);
  const key = { projectId, instrumentId };
  return { ...calculationsOf(service.client, projectId), ...key, key, seed };
}

const steps = (...values: number[]) => values.map((value, at) => ({ startTimeUs: at * 10, value }));

describe('create and read', () => {
  test('a constant with everything', async () => {
    const { client } = service;
    const { constant, key, instrumentId, run } = await newLogger();
    const values = [...steps(0.1, -0, 1e300)].reverse();
    const { runId, ...created } = await constant('Slope', instrumentId, { alias: 'k', unit: 'm', values });
    expect(created).toMatchObject({ ...key, name: 'Slope', alias: 'k', unit: 'm', revision: 1 });
    expect(created.values).toEqual(steps(0.1, 0, 1e300));
    expect(created.lifecycle).toEqual({ state: 'active' });
    expect((await client.getConstant({ ...key, constantId: created.id })).constant).toEqual(created);
    expect(await run(runId)).toBe(`succeeded calibration_constant ${created.id}`);
  });

  test('a constant with ten thousand values', async () => {
    const { constant, updateConstant, instrumentId } = await newLogger();
    const values = Array.from({ length: 10_000 }, (_, at) => ({ startTimeUs: at - 5000, value: at / 7 }));
    const created = await constant('Slope', instrumentId, { values });
    expect(created.values).toEqual(values);
    const items = values.slice(5000).map(({ startTimeUs, value }) => ({ startTimeUs: startTimeUs * 2, value }));
    expect((await updateConstant(created, { values: { items } })).values).toEqual(items);
  });

  test('every fault at once, and instruments that are not there or archived', async () => {
    const { client } = service;
    const { constant, key, instrumentId } = await newLogger();
    expect(await errorOf(constant('', instrumentId, { alias: 'e', values: [] }))).toBe(
      'invalid_request /name /alias /values',
    );
    for (const id of [randomUUID(), 'x', (await newLogger()).instrumentId]) {
      expect(await errorOf(constant('Slope', id))).toBe('not_found');
    }
    await client.archiveInstrument({ ...key, actor: operator });
    expect(await errorOf(constant('Slope', instrumentId))).toBe('lifecycle_conflict path/instrument_id');
  });

  test('names are unique among the constants of the instrument', async () => {
    const { constant, instrumentId, projectId } = await newLogger();
    await constant('Slope', instrumentId);
    expect(await errorOf(constant('Slope', instrumentId, { alias: 'k' }))).toBe('name_conflict /name');
    expect((await constant('slope', instrumentId)).alias).toBe('slope');
    await constant('Slope', (await newLogger(projectId, 'other')).instrumentId);
  });

  test('of another instrument or project, or of none, is not found', async () => {
    const { client } = service;
    const { constant, key, instrumentId, projectId } = await newLogger();
    const { id: constantId } = await constant('Slope', instrumentId);
    const other = await newLogger(projectId, 'other');
    for (const wrong of [
      { ...key, constantId: randomUUID() },
      { ...key, constantId: 'x' },
      { ...other.key, constantId },
      { ...key, projectId: newProject(), constantId },
    ]) {
      const change = { ...wrong, actor: operator, patch: { name: 'x' } };
      expect(await errorOf(client.getConstant(wrong))).toBe('not_found');
      expect(await errorOf(client.updateConstant(change))).toBe('not_found');
      expect(await errorOf(client.archiveConstant(change))).toBe('not_found');
      expect(await errorOf(client.restoreConstant(change))).toBe('not_found');
    }
  });

  test('are listed by page, by a part of the name, and with those archived', async () => {
    const { client } = service;
    const { constant, key, instrumentId, projectId } = await newLogger();
    const names = ['Slope', 'offset', 'SLOPE 2', 'off%set', 'slope ΟΔΟΣΑ'];
    const created = [];
    for (const name of names) created.push(await constant(name, instrumentId));
    await constant('Slope', (await newLogger(projectId, 'other')).instrumentId);
    await client.archiveConstant({ ...key, constantId: created[4]?.id ?? '', actor: operator });
    const list = async (fields: object) => {
      const { constants, nextAfter } = await client.listConstants({ ...key, limit: 10, ...fields });
      return { names: constants.map(({ name }) => name), nextAfter };
    };
    expect(await list({})).toEqual({ names: names.slice(0, 4), nextAfter: '' });
    expect((await list({ includeArchived: true })).names).toEqual(names);
    expect((await list({ q: 'slope' })).names).toEqual(['Slope', 'SLOPE 2']);
    expect((await list({ q: 'f%s' })).names).toEqual(['off%set']);
    expect((await list({ q: 'ΟΔΟΣ', includeArchived: true })).names).toEqual(['slope ΟΔΟΣΑ']);
    const first = await list({ limit: 3 });
    expect(first).toEqual({ names: names.slice(0, 3), nextAfter: created[2]?.id });
    expect(await list({ limit: 3, after: first.nextAfter })).toEqual({ names: ['off%set'], nextAfter: '' });
    const [whole] = (await client.listConstants({ ...key, limit: 1 })).constants;
    expect(whole).toEqual((await client.getConstant({ ...key, constantId: created[0]?.id ?? '' })).constant);
    expect(await errorOf(list({ limit: 0 }))).toBe('invalid_request /limit');
    expect(await errorOf(list({ instrumentId: randomUUID() }))).toBe('not_found');
    await client.archiveInstrument({ ...key, actor: operator });
    expect(await errorOf(list({}))).toBe('not_found');
    expect((await list({ includeArchived: true })).names).toEqual(names);
  });

  test('in pages of fewer than were asked for, where they have many values', async () => {
    const { constant, key, instrumentId } = await newLogger();
    const values = Array.from({ length: 9000 }, (_, at) => ({ startTimeUs: at, value: at }));
    for (const name of ['a', 'b', 'c', 'd', 'e']) await constant(name, instrumentId, { values });
    const pages: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { constants, nextAfter } = await service.client.listConstants({ ...key, limit: 100, after });
      for (const { values: read } of constants) expect(read).toHaveLength(9000);
      pages.push(constants.map(({ name }) => name).join());
      after = nextAfter === '' ? undefined : nextAfter;
    }
    expect(pages).toEqual(['a,b', 'c,d', 'e']);
  });
});

describe('update', () => {
  test('replaces what is given; what changes nothing keeps the revision', async () => {
    const { constant, updateConstant, instrumentId, run } = await newLogger();
    const created = await constant('Slope', instrumentId, { unit: 'm', values: steps(1, 2) });
    const same = await updateConstant(created, { unit: 'm', values: { items: steps(1, 2).reverse() } });
    expect({ ...same, runId: '' }).toEqual({ ...created, runId: '' });
    const renamed = await updateConstant(
      created,
      { name: 'K', alias: 'k', cleared: ['unit'] },
      { expectedRevision: 1 },
    );
    expect(renamed).toMatchObject({ name: 'K', alias: 'k', revision: 2, values: created.values });
    expect(renamed.unit).toBeUndefined();
    expect(renamed.updatedAtUs).toBeGreaterThan(created.updatedAtUs);
    const changed = await updateConstant(created, { values: { items: steps(3) } });
    expect(changed).toMatchObject({ revision: 3, values: steps(3) });
    for (const { runId } of [same, renamed, changed]) {
      expect(await run(runId)).toBe(`succeeded calibration_constant ${created.id}`);
    }
  });

  test('refuses faults, stale revisions, taken names, and what is archived', async () => {
    const { client } = service;
    const { constant, updateConstant, instrumentId, key, seed } = await newLogger();
    const created = await constant('Slope', instrumentId);
    await constant('Other', instrumentId);
    await seed.variable('level', instrumentId);
    const wrong = { name: '', values: { items: [] }, cleared: ['alias'] };
    expect(await errorOf(updateConstant(created, wrong))).toBe('invalid_request /name /values /alias');
    expect(await errorOf(updateConstant(created, { name: 'x' }, { expectedRevision: 7 }))).toBe(
      'revision_conflict /expected_revision',
    );
    expect(await errorOf(updateConstant(created, { name: 'Other' }))).toBe('name_conflict /name');
    expect(await errorOf(updateConstant(created, { alias: 'level' }))).toBe('name_conflict /alias');
    await client.archiveConstant({ ...key, constantId: created.id, actor: operator });
    expect(await errorOf(updateConstant(created, { name: 'x' }))).toBe('lifecycle_conflict path/constant_id');
  });

  test('computes again where the value differs and is read, of active variables alone', async () => {
    const { client } = service;
    const { constant, calculated, updateConstant, instrumentId, projectId, run, seed } = await newLogger();
    const level = self((await seed.variable('level', instrumentId)).id);
    const slope = await constant('slope', instrumentId, { values: steps(1, 2, 3, 4) });
    const read = [constantInput(slope.id), level];
    const always = await calculated('always', instrumentId, [piece('level * slope', read, -100)]);
    const partly = await calculated('partly', instrumentId, [
      piece('level * slope', read, 15),
      piece('level', [level], 25),
    ]);
    const never = await calculated('never', instrumentId, [piece('level', [level])]);
    const archived = await calculated('archived', instrumentId, [piece('level * slope', read)]);
    await client.archiveVariable({ projectId, variableId: archived.id, actor: operator });

    const items = [{ startTimeUs: -50, value: 9 }, ...steps(1, 7, 3, 8)];
    const { runId } = await updateConstant(slope, { values: { items } });
    expect(await run(runId)).toBe(`queued calibration_constant ${slope.id}`);
    expect(await rangesOf(service.databaseUrl, runId)).toEqual({
      [always.id]: ['-50 0', '10 20', '30 ∞'],
      [partly.id]: ['15 20'],
    });
    const generations = await client.listVariables({ projectId, instrumentId, includeArchived: true });
    const calculatedOnes = generations.variables.filter(({ variableType }) => variableType === 'calculated');
    expect(calculatedOnes.map((v) => [v.name, v.configurationGeneration, v.revision])).toEqual([
      ['always', 2, 1],
      ['partly', 2, 1],
      ['never', 1, 1],
      ['archived', 1, 2],
    ]);
    expect(never.configurationGeneration).toBe(1);
    const renamed = await updateConstant(slope, { name: 'gradient' });
    expect(await run(renamed.runId)).toMatch(/^succeeded/);
  });
});

describe('lifecycle', () => {
  test('archive and restore, each idempotent; taken names and aliases are refused', async () => {
    const { client } = service;
    const { constant, key, instrumentId, run, seed } = await newLogger();
    const { id: constantId } = await constant('Slope', instrumentId);
    const change = { ...key, constantId, actor: operator };
    const { constant: archived } = await client.archiveConstant(change);
    expect(archived).toMatchObject({ revision: 2, lifecycle: { state: 'archived', archivedBy: operator } });
    expect((await client.archiveConstant(change)).constant).toEqual(archived);
    expect(await errorOf(client.getConstant(change))).toBe('not_found');
    expect((await client.getConstant({ ...change, includeArchived: true })).constant).toEqual(archived);

    const sameName = await constant('Slope', instrumentId, { alias: 'other' });
    expect(await errorOf(client.restoreConstant(change))).toBe('name_conflict /name');
    await client.archiveConstant({ ...change, constantId: sameName.id });
    const { id: variableId } = await seed.variable('Slope', instrumentId);
    expect(await errorOf(client.restoreConstant(change))).toBe('name_conflict /alias');
    await client.archiveVariable({ ...change, variableId });
    const restored = await client.restoreConstant(change);
    expect(restored.constant).toMatchObject({ revision: 3, lifecycle: { state: 'active' } });
    expect(await run(restored.recalculationBatchRunId)).toBe(`succeeded calibration_constant ${constantId}`);
    const again = await client.restoreConstant(change);
    expect(again.constant).toEqual(restored.constant);
    expect(again.recalculationBatchRunId).not.toBe(restored.recalculationBatchRunId);
    expect(await errorOf(client.restoreVariable({ ...change, variableId }))).toBe('name_conflict /alias');
  });

  test('an archived instrument hides its constants, and keeps them from coming back alone', async () => {
    const { client } = service;
    const { constant, key, instrumentId } = await newLogger();
    const kept = await constant('kept', instrumentId);
    const { id: constantId } = await constant('gone', instrumentId);
    await client.archiveConstant({ ...key, constantId, actor: operator });
    const { instrument } = await client.archiveInstrument({ ...key, actor: operator });
    expect(await errorOf(client.getConstant({ ...key, constantId: kept.id }))).toBe('not_found');
    const hidden = await client.getConstant({ ...key, constantId: kept.id, includeArchived: true });
    expect(hidden.constant?.lifecycle).toEqual(instrument?.lifecycle);
    expect(await errorOf(client.restoreConstant({ ...key, constantId, actor: operator }))).toBe(
      'lifecycle_conflict path/constant_id',
    );
    await client.restoreInstrument({ ...key, actor: operator });
    expect((await client.listConstants({ ...key, limit: 10 })).constants.map(({ id }) => id)).toEqual([kept.id]);
  });
});

test('points create variables beside the aliases of constants, and are not kept out by them', async () => {
  const { client } = service;
  const { constant, instrumentId, projectId, calculated } = await newLogger();
  for (const name of ['T', 'U', 'V']) await constant(name, instrumentId);
  await resolve(client, projectId, { logger: ['T'] }, 'automatic');
  const { variables } = await client.listVariables({ projectId, instrumentId });
  expect(variables.map(({ alias }) => alias)).toEqual(['T_2']);
  await calculated('sum', instrumentId, [piece('T_2', [self(variables[0]?.id ?? '')])]);
  const { outcomes } = await resolve(client, projectId, { logger: ['sum', 'W'] }, 'automatic');
  expect(outcomes).toEqual([{ instrumentId, variables: ['variable_not_ingestible', 'quota_exceeded'] }]);
});
