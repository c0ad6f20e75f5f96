import { newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolve, seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables({ INSTRUMENTS_PER_PROJECT_MAX: '3', VARIABLES_PER_INSTRUMENT_MAX: '2' });
});
afterAll(() => service[Symbol.asyncDispose]());

const created = (...variables: unknown[]) => ({ instrumentId: expect.any(String), variables });
const id = expect.stringMatching(/^[0-9a-f-]{36}$/);

test('instruments of a project', async () => {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const { id: siteId } = await seed.site('site');
  const { id: instrumentId } = await seed.instrument('A');
  const names = { B: [], C: [], [`D@${siteId}`]: [], A: [] };
  const { outcomes } = await resolve(client, projectId, names, 'automatic');
  expect(outcomes).toEqual([created(), 'quota_exceeded', created(), created()]);
  expect((await resolve(client, projectId, { E: ['x'] }, 'automatic')).outcomes).toEqual(['quota_exceeded']);
  await resolve(client, newProject(), { E: ['x'] }, 'automatic');

  // what an operator creates is not limited, and archiving makes room
  const { id: more } = await seed.instrument('more');
  expect((await resolve(client, projectId, { E: [] }, 'automatic')).outcomes).toEqual(['quota_exceeded']);
  for (const archived of [instrumentId, more]) {
    await client.archiveInstrument({ projectId, instrumentId: archived, actor: operator });
  }
  expect((await resolve(client, projectId, { E: [] }, 'automatic')).outcomes).toEqual([created()]);
});

test('variables of an instrument', async () => {
  const { client } = service;
  const projectId = newProject();
  const names = { A: ['x', 'y', 'z'], B: ['x'] };
  const { outcomes } = await resolve(client, projectId, names, 'automatic');
  expect(outcomes).toEqual([created(id, id, 'quota_exceeded'), created(id)]);
  const again = await resolve(client, projectId, { A: ['z', 'y'], B: ['z'] }, 'automatic');
  expect(again.outcomes).toEqual([created('quota_exceeded', id), created(id)]);

  const [a] = outcomes as [{ instrumentId: string; variables: string[] }];
  const { id: variableId } = await seedOf(client, projectId).variable('operator', a.instrumentId);
  for (const archived of [variableId, a.variables[0] ?? '']) {
    await client.archiveVariable({ projectId, variableId: archived, actor: operator });
  }
  expect((await resolve(client, projectId, { A: ['z'] }, 'automatic')).outcomes).toEqual([created(id)]);
});

test('a limit holds against callers at the same moment', async () => {
  const { client } = service;
  const other = await service.another();
  const projectId = newProject();
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      resolve(n % 2 === 0 ? client : other, projectId, { [`logger ${n}`]: [], shared: [`v${n}`] }, 'automatic'),
    ),
  );
  const outcomes = answers.flatMap((answer) => answer.outcomes);
  const instruments = new Set(outcomes.map((o) => (typeof o === 'string' ? o : o.instrumentId)));
  expect(instruments.size).toBe(4);
  const variables = outcomes.flatMap((o) => (typeof o === 'string' ? [] : o.variables));
  expect(variables.filter((variable) => variable !== 'quota_exceeded')).toHaveLength(2);
});
