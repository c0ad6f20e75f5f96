import { newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

test('variables that are known are told again only after a change that may concern who reads them', async () => {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const { id: instrumentId } = await seed.instrument('logger');
  const { id: variableId } = await seed.variable('level', instrumentId);
  const list = async (knownGeneration: number) =>
    await client.listVariables({ projectId, variableIds: [variableId], knownGeneration });
  let { generation, variables } = await list(0);
  expect(variables).toHaveLength(1);
  expect(await list(generation)).toEqual({ variables: [], generation });

  const changed = { projectId, variableId, actor: operator };
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    unit: () => client.updateIngestedVariable({ ...changed, patch: { unit: 'm' } }),
    cadence: () => client.updateIngestedVariable({ ...changed, patch: { expectedCadenceS: 60 } }),
    name: () => client.updateIngestedVariable({ ...changed, patch: { name: 'stage' } }),
    archive: () => client.archiveVariable(changed),
    restore: () => client.restoreVariable(changed),
    'archive of the instrument': () => client.archiveInstrument({ projectId, instrumentId, actor: operator }),
    'restore of the instrument': () => client.restoreInstrument({ projectId, instrumentId, actor: operator }),
  };
  for (const [what, change] of Object.entries(changes)) {
    await change();
    const now = await list(generation);
    expect(now.generation, what).toBeGreaterThan(generation);
    expect(now.variables, what).toHaveLength(what.startsWith('archive') ? 0 : 1);
    ({ generation, variables } = now);
  }
  expect(variables[0]).toMatchObject({ name: 'stage', unit: 'm', expectedCadenceS: 60 });

  await seed.variable('other', instrumentId);
  await client.updateIngestedVariable({ ...changed, patch: { alias: 'h' } });
  expect(await list(generation)).toEqual({ variables: [], generation });
});
