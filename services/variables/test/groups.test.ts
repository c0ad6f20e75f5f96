import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

async function seeded(...names: string[]) {
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const instrumentIds: string[] = [];
  for (const name of names) instrumentIds.push((await seed.instrument(name)).id);
  const { group } = await client.createGroup({ projectId, name: 'group', description: 'd', actor: operator });
  const groupId = group?.id ?? '';
  const change = { projectId, groupId, actor: operator };
  return {
    ...change,
    group,
    change,
    instrumentIds,
    add: async (instrumentId: string) => (await client.addGroupMember({ ...change, instrumentId })).member,
    remove: (instrumentId: string) => client.removeGroupMember({ ...change, instrumentId }),
    members: async (request: object = {}) => {
      const { members, nextAfter } = await client.listGroupMembers({ projectId, groupId, limit: 100, ...request });
      return { ids: members.map(({ instrumentId }) => instrumentId), members, nextAfter };
    },
  };
}

test('a group with everything', async () => {
  const { projectId, groupId, group, change } = await seeded();
  expect(group).toMatchObject({ projectId, name: 'group', description: 'd', revision: 1 });
  expect(group?.lifecycle?.state).toBe('active');
  const update = service.client.updateGroup({ ...change, patch: { description: 'e' } });
  expect((await update).group).toMatchObject({ id: groupId, name: 'group', description: 'e', revision: 2 });
  const wrong = { projectId, name: ' ', description: '\0' };
  expect(await errorOf(service.client.createGroup(wrong))).toBe('invalid_request /name /description /actor');
  const taken = { projectId, name: 'group', actor: operator };
  expect(await errorOf(service.client.createGroup(taken))).toBe('name_conflict /name');
});

describe('members', () => {
  test('are listed in the order in which they were added, page by page', async () => {
    const { instrumentIds, groupId, add, members } = await seeded('a', 'b', 'c');
    const [a, b, c] = instrumentIds as [string, string, string];
    const added = [await add(c), await add(a), await add(b)];
    expect(added[0]).toEqual({ instrumentGroupId: groupId, instrumentId: c, addedAtUs: expect.any(Number) });
    expect((await members()).members).toEqual(added);
    const first = await members({ limit: 2 });
    expect(first.ids).toEqual([c, a]);
    expect(await members({ limit: 2, after: first.nextAfter })).toMatchObject({ ids: [b], nextAfter: '' });
    expect(await errorOf(members({ after: 'x' }))).toBe('invalid_request /after');
    expect(await errorOf(members({ limit: 0 }))).toBe('invalid_request /limit');
  });

  test('are added once, and removed once', async () => {
    const { instrumentIds, groupId, projectId, add, remove, members } = await seeded('a', 'b');
    const [a, b] = instrumentIds as [string, string];
    const added = await add(a);
    await add(b);
    expect(await add(a)).toEqual(added);
    expect((await members()).ids).toEqual([a, b]);
    await remove(a);
    await remove(a);
    expect((await members()).ids).toEqual([b]);
    await add(a);
    expect((await members()).ids).toEqual([b, a]);
    // the group itself is not edited by it
    expect((await service.client.getGroup({ projectId, groupId })).group?.revision).toBe(1);
  });

  test('added by many at the same time are there once', async () => {
    const { instrumentIds, add, members } = await seeded('a');
    const [a] = instrumentIds as [string];
    const added = await Promise.all(Array.from({ length: 10 }, () => add(a)));
    expect(new Set(added.map((member) => member?.addedAtUs)).size).toBe(1);
    expect((await members()).ids).toEqual([a]);
  });

  test('that are archived do not come in, and are hidden when they are in', async () => {
    const { client } = service;
    const { instrumentIds, projectId, add, remove, members } = await seeded('a', 'b');
    const [a, b] = instrumentIds as [string, string];
    await add(a);
    for (const instrumentId of [a, b]) await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    for (const id of [a, b]) expect(await errorOf(add(id))).toBe('lifecycle_conflict path/instrument_id');
    expect((await members()).ids).toEqual([]);
    expect((await members({ includeArchived: true })).ids).toEqual([a]);
    await client.restoreInstrument({ projectId, instrumentId: a, actor: operator });
    expect((await members()).ids).toEqual([a]);
    await client.archiveInstrument({ projectId, instrumentId: a, actor: operator });
    await remove(a);
    expect((await members({ includeArchived: true })).ids).toEqual([]);
  });

  test('of an archived group stay as they are', async () => {
    const { client } = service;
    const { instrumentIds, change, add, remove, members } = await seeded('a', 'b');
    const [a, b] = instrumentIds as [string, string];
    await add(a);
    await client.archiveGroup(change);
    expect(await errorOf(add(b))).toBe('lifecycle_conflict path/group_id');
    expect(await errorOf(add(a))).toBe('lifecycle_conflict path/group_id');
    expect(await errorOf(remove(a))).toBe('lifecycle_conflict path/group_id');
    expect(await errorOf(members())).toBe('not_found');
    expect((await members({ includeArchived: true })).ids).toEqual([a]);
    await client.restoreGroup(change);
    expect((await members()).ids).toEqual([a]);
  });

  test('and groups that are not there, or of another project', async () => {
    const { client } = service;
    const mine = await seeded('a');
    const other = await seeded('a');
    for (const id of [...other.instrumentIds, randomUUID(), 'x']) {
      expect(await errorOf(mine.add(id))).toBe('not_found');
      expect(await errorOf(mine.remove(id))).toBe('not_found');
    }
    const [instrumentId = ''] = mine.instrumentIds;
    for (const groupId of [other.groupId, randomUUID(), 'x']) {
      const key = { ...mine.change, groupId, instrumentId };
      expect(await errorOf(client.addGroupMember(key))).toBe('not_found');
      expect(await errorOf(client.removeGroupMember(key))).toBe('not_found');
      expect(await errorOf(client.listGroupMembers({ ...key, limit: 1, includeArchived: true }))).toBe('not_found');
    }
    const nobody = { ...mine.change, instrumentId, actor: undefined };
    expect(await errorOf(client.addGroupMember(nobody))).toBe('invalid_request /actor');
    expect(await errorOf(client.removeGroupMember(nobody))).toBe('invalid_request /actor');
  });
});
