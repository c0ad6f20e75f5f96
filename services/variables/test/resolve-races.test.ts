import { newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolve, seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

test('many callers that meet the same new names create them once', async () => {
  const { client } = service;
  const other = await service.another();
  const projectId = newProject();
  const { id: siteId } = await seedOf(client, projectId).site('site');
  const variables = Array.from({ length: 10 }, (_, n) => `variable ${n}`);
  const names = Object.fromEntries(
    Array.from({ length: 50 }, (_, n) => [n % 2 === 0 ? `logger ${n}` : `logger ${n}@${siteId}`, variables]),
  );
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, n) => resolve(n % 2 === 0 ? client : other, projectId, names, 'automatic')),
  );
  const [first] = answers;
  for (const answer of answers) expect(answer).toEqual(first);
  const found = (first?.outcomes ?? []).map((outcome) => outcome as { instrumentId: string; variables: string[] });
  expect(new Set(found.map(({ instrumentId }) => instrumentId)).size).toBe(50);
  const ids = found.flatMap((instrument) => instrument.variables);
  expect(new Set(ids).size).toBe(500);
  const listed = await client.listVariables({ projectId, variableIds: ids });
  expect(listed.variables.map(({ id }) => id)).toEqual(ids);
  for (const { instrumentId, variables: expected } of found.slice(0, 3)) {
    const all = await client.listVariables({ projectId, instrumentId, includeArchived: true });
    expect(all.variables.map(({ id }) => id).sort()).toEqual([...expected].sort());
  }
});

test('callers with overlapping names in different order all agree', async () => {
  const { client } = service;
  const other = await service.another();
  const projectId = newProject();
  const ask = (n: number) => {
    const order = Array.from({ length: 20 }, (_, at) => (at * (n % 2 === 0 ? 1 : 7) + n) % 20);
    const names = Object.fromEntries(order.map((at) => [`logger ${at}`, [`v${n % 3}`, 'shared']]));
    return resolve(n % 2 === 0 ? client : other, projectId, names, 'automatic').then(({ outcomes }) =>
      order.map((at, index) => [at, outcomes[index]] as const),
    );
  };
  const answers = (await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n)))).flat();
  const shared = new Set(answers.map(([at, o]) => `${at} ${typeof o === 'object' ? o.variables[1] : o}`));
  expect(shared.size).toBe(20);
});

test('a name that is archived meanwhile is never said to be active at its new generation', async () => {
  const { client } = service;
  const other = await service.another();
  const projectId = newProject();
  const names = { logger: ['A'] };
  const { outcomes } = await resolve(client, projectId, names, 'automatic');
  const { instrumentId, variables } = outcomes[0] as { instrumentId: string; variables: string[] };
  const change = { projectId, instrumentId, variableId: variables[0] ?? '', actor: operator };
  let generation = 1;
  for (let round = 0; round < 30; round++) {
    const isOfInstrument = round % 2 === 0;
    const [, ...answers] = await Promise.all([
      isOfInstrument ? client.archiveInstrument(change) : client.archiveVariable(change),
      ...Array.from({ length: 4 }, (_, n) =>
        resolve(n % 2 === 0 ? client : other, projectId, { logger: ['A', `new ${round} ${n}`] }, 'automatic'),
      ),
    ]);
    const archived = isOfInstrument ? 'instrument_archived' : { variables: ['variable_archived', expect.any(String)] };
    for (const answer of answers) {
      if (answer.generation === generation)
        expect(answer.outcomes[0]).toMatchObject({ variables: [change.variableId, expect.any(String)] });
      else {
        expect(answer.generation).toBe(generation + 1);
        expect(answer.outcomes).toEqual([isOfInstrument ? archived : expect.objectContaining(archived as object)]);
      }
    }
    await (isOfInstrument ? client.restoreInstrument(change) : client.restoreVariable(change));
    generation += 2;
  }
});

test('the generation rises with what can change the meaning of a known name, and with nothing else', async () => {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const generation = async () =>
    (await client.resolve({ projectId, provisioning: 'strict', connectionId: 'c', knownGeneration: 1 })).generation;
  const risen = async (change: () => Promise<unknown>) => {
    const before = await generation();
    await change();
    return (await generation()) - before;
  };
  expect(await generation()).toBe(1);
  const { id: siteId } = await seed.site('site');
  expect(await risen(() => seed.instrument('logger', siteId))).toBe(0);
  expect(await risen(() => resolve(client, projectId, { other: ['A'] }, 'automatic'))).toBe(0);
  expect(await risen(() => resolve(client, projectId, { other: ['B'] }, 'automatic'))).toBe(0);
  expect(await generation()).toBe(1);

  // a second one of the name: without a site it meant the first
  const { id: instrumentId } = await seed.instrument('logger');
  expect(await generation()).toBe(2);
  expect(await risen(() => resolve(client, projectId, { [`other@${siteId}`]: [] }, 'automatic'))).toBe(1);
  const { id: variableId } = await seed.variable('A', instrumentId);
  expect(await generation()).toBe(3);

  const change = { projectId, instrumentId, variableId, actor: operator };
  expect(await risen(() => client.archiveVariable(change))).toBe(1);
  expect(await risen(() => client.archiveVariable(change))).toBe(0);
  expect(await risen(() => client.restoreVariable(change))).toBe(1);
  expect(await risen(() => client.archiveInstrument(change))).toBe(1);
  expect(await risen(() => client.archiveInstrument(change))).toBe(0);
  expect(await risen(() => client.restoreInstrument(change))).toBe(1);
  expect(await risen(() => client.restoreInstrument(change))).toBe(0);
  const { id: emptySite } = await seed.site('empty');
  expect(await risen(() => client.archiveSite({ ...change, siteId: emptySite }))).toBe(1);
  expect(await risen(() => client.restoreSite({ ...change, siteId: emptySite }))).toBe(1);
  expect((await resolve(client, newProject(), { logger: [] })).generation).toBe(1);
});
