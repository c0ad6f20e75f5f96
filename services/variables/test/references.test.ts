import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { seedOf, startTestVariables } from './test-variables.js';

test('references are found in the project alone, each with its effective state', async () => {
  await using service = await startTestVariables();
  const { client } = service;
  const seeded = async () => {
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const [one, two] = [(await seed.instrument('one')).id, (await seed.instrument('two')).id];
    const variables = [await seed.variable('a', one), await seed.variable('b', two), await seed.variable('c', two)];
    const groups = [
      (await client.createGroup({ projectId, name: 'x', actor: operator })).group,
      (await client.createGroup({ projectId, name: 'y', actor: operator })).group,
    ];
    return {
      projectId,
      variableIds: variables.map(({ id }) => id),
      instrumentIds: [one, two],
      groupIds: groups.map((group) => group?.id ?? ''),
    };
  };
  const [mine, other] = [await seeded(), await seeded()];
  const { projectId } = mine;
  const [a = '', b = '', c = ''] = mine.variableIds;
  const [one = '', two = ''] = mine.instrumentIds;
  const [x = '', y = ''] = mine.groupIds;
  await client.archiveInstrument({ projectId, instrumentId: one, actor: operator });
  await client.archiveVariable({ projectId, variableId: c, actor: operator });
  await client.archiveGroup({ projectId, groupId: y, actor: operator });

  const strange = [randomUUID(), 'x', ''];
  const found = await client.findReferences({
    projectId,
    variableIds: [...mine.variableIds, a, ...other.variableIds, ...strange, one, x],
    instrumentIds: [...mine.instrumentIds, ...other.instrumentIds, ...strange, a],
    groupIds: [...mine.groupIds, ...other.groupIds, ...strange, one],
  });
  const states = (references: readonly { id: string; isArchived: boolean }[]) =>
    Object.fromEntries(references.map(({ id, isArchived }) => [id, isArchived]));
  expect(found.variables).toHaveLength(3);
  expect(states(found.variables)).toEqual({ [a]: true, [b]: false, [c]: true });
  expect(states(found.instruments)).toEqual({ [one]: true, [two]: false });
  expect(states(found.groups)).toEqual({ [x]: false, [y]: true });

  expect(await client.findReferences({ projectId })).toEqual({ variables: [], instruments: [], groups: [] });
  expect(await errorOf(client.findReferences({ projectId: 'x' }))).toBe('not_found');
  const tooMany = Array.from({ length: 10_001 }, () => randomUUID());
  expect(await errorOf(client.findReferences({ projectId, instrumentIds: tooMany }))).toBe(
    'invalid_request /instrument_ids',
  );
});
