import { errorOf, newProject, operator } from '@weir/kit/testing';
import type { DeepPartial, UpdateIngestedVariableRequest } from '@weir/proto/variables';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolve, seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

async function seeded(fields: object = {}) {
  const projectId = newProject();
  const seed = seedOf(service.client, projectId);
  const { id: instrumentId } = await seed.instrument('logger');
  const variable = await seed.variable('Level', instrumentId, fields);
  const update = async (patch: DeepPartial<UpdateIngestedVariableRequest['patch']>, request: object = {}) =>
    (
      await service.client.updateIngestedVariable({
        projectId,
        instrumentId,
        variableId: variable.id,
        actor: operator,
        patch,
        ...request,
      })
    ).variable;
  const generation = async () => (await resolve(service.client, projectId, {})).generation;
  return { projectId, seed, instrumentId, variable, update, generation };
}

test('a patch changes what it has, and clears what may be null', async () => {
  const { variable, update } = await seeded({ unit: 'm', expectedCadenceS: 60 });
  const viewOptions = { hide: true, graph: { scale: { min: 1, max: 2, interval: 0.5, custom: true } } };
  const patch = {
    name: 'Stage',
    alias: 'stage',
    unit: 'cm',
    expectedCadenceS: 900,
    isTimeVariable: true,
    viewOptionsJson: JSON.stringify(viewOptions),
  };
  const changed = await update(patch);
  const { viewOptionsJson, ...rest } = patch;
  expect(changed).toMatchObject({ ...rest, id: variable.id, revision: 2, configurationGeneration: 0 });
  expect(JSON.parse(changed?.viewOptionsJson ?? '')).toEqual(viewOptions);
  expect(await update({ viewOptionsJson })).toEqual(changed);
  const defaults = { hide: false, graph: { scale: { min: 0, max: 100, interval: 10, custom: false } } };
  expect(JSON.parse((await update({ viewOptionsJson: '{}' }))?.viewOptionsJson ?? '')).toEqual(defaults);
  const cleared = await update({ cleared: ['unit', 'expected_cadence_s'], isTimeVariable: false });
  expect(cleared).toMatchObject({ unit: undefined, expectedCadenceS: undefined, isTimeVariable: false, revision: 4 });
});

test('every fault is told at once', async () => {
  const { update } = await seeded();
  const patch = {
    name: '',
    alias: '',
    unit: '\0',
    expectedCadenceS: 0,
    valueType: '',
    viewOptionsJson: '[]',
    cleared: ['alias', 'is_time_variable'],
  };
  expect(await errorOf(update(patch))).toBe(
    'invalid_request /name /alias /unit /expected_cadence_s /value_type /view_options /alias /is_time_variable',
  );
  expect(await errorOf(update({ alias: 'mean' }))).toBe('invalid_request /alias');
});

test('names and aliases stay unique within the instrument', async () => {
  const { seed, instrumentId, update } = await seeded();
  await seed.variable('Battery', instrumentId, { alias: 'power' });
  expect(await errorOf(update({ name: 'Battery' }))).toBe('name_conflict /name');
  expect(await errorOf(update({ alias: 'power' }))).toBe('name_conflict /alias');
  expect(await update({ name: 'power', alias: 'Battery' })).toMatchObject({ name: 'power', alias: 'Battery' });
});

test('the type of values changes until there are some, and with it the generations', async () => {
  const { projectId, variable, update, generation } = await seeded();
  const before = await generation();
  await update({ alias: 'x', isTimeVariable: true });
  expect(await generation()).toBe(before);
  // readers remember these by the generation
  await update({ unit: 'm', expectedCadenceS: 1 });
  expect(await generation()).toBe(before + 1);
  expect(await update({ valueType: 'integer' })).toMatchObject({
    valueType: 'integer',
    configurationGeneration: 1,
    revision: 4,
  });
  expect(await generation()).toBe(before + 2);
  expect(await errorOf(update({ valueType: 'boolean', unit: 'cm' }, { hasObservations: true }))).toBe(
    'lifecycle_conflict /value_type',
  );
  expect(await update({ valueType: 'integer', unit: 'cm' }, { hasObservations: true })).toMatchObject({
    unit: 'cm',
    configurationGeneration: 1,
  });
  const names = [{ siteId: '', instrumentName: 'logger', variableNames: ['Level'] }];
  const { instruments } = await service.client.resolve({
    projectId,
    provisioning: 'strict',
    connectionId: 'connection',
    instruments: names,
  });
  expect(instruments[0]?.variables[0]).toMatchObject({
    variableId: variable.id,
    valueType: 'integer',
    configurationGeneration: 1,
  });
});

test('a renamed variable is found by its new name at once', async () => {
  const { projectId, instrumentId, variable, update, generation } = await seeded();
  const before = await generation();
  await update({ name: 'Stage' });
  expect(await resolve(service.client, projectId, { logger: ['Level', 'Stage'] })).toEqual({
    generation: before + 1,
    outcomes: [{ instrumentId, variables: ['variable_not_found', variable.id] }],
  });
});

test('a variable is reached through its instrument and kind alone', async () => {
  const { client } = service;
  const { projectId, seed, variable, instrumentId, update } = await seeded();
  const { id: other } = await seed.instrument('other');
  const key = { projectId, variableId: variable.id, actor: operator };
  const right = { instrumentId, variableType: 'ingested' };
  expect((await client.getVariable({ ...key, ...right })).variable).toEqual(variable);
  expect((await client.getVariable(key)).variable).toEqual(variable);
  expect(await errorOf(update({ name: 'x' }, { instrumentId: other }))).toBe('not_found');
  for (const wrong of [{ instrumentId: other }, { instrumentId: 'x' }, { instrumentId, variableType: 'calculated' }]) {
    expect(await errorOf(client.getVariable({ ...key, ...wrong }))).toBe('not_found');
    expect(await errorOf(client.archiveVariable({ ...key, ...wrong }))).toBe('not_found');
    expect(await errorOf(client.restoreVariable({ ...key, ...wrong }))).toBe('not_found');
  }
  expect((await client.archiveVariable({ ...key, ...right })).variable?.lifecycle?.state).toBe('archived');
  expect(await client.restoreVariable({ ...key, ...right })).toMatchObject({
    variable: { revision: 3 },
    recalculationBatchRunId: '',
  });
});

test('an archived instrument hides its variables, and keeps them from being changed', async () => {
  const { client } = service;
  const { projectId, instrumentId, variable, update } = await seeded();
  await client.archiveInstrument({ projectId, instrumentId, actor: operator });
  const key = { projectId, variableId: variable.id };
  expect(await errorOf(client.getVariable(key))).toBe('not_found');
  const { variable: hidden } = await client.getVariable({ ...key, includeArchived: true });
  expect(hidden).toMatchObject({ revision: 1, lifecycle: { state: 'archived', archivedBy: operator } });
  await expect(update({ name: 'x' })).rejects.toMatchObject({
    code: 'lifecycle_conflict',
    message: 'The instrument is archived; restore it first.',
  });
  await client.restoreInstrument({ projectId, instrumentId, actor: operator });
  expect(await update({ name: 'x' }, { expectedRevision: 1 })).toMatchObject({ name: 'x', revision: 2 });
});
