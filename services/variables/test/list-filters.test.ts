import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calculationsOf, reading, self } from './test-calculations.js';
import { readAll } from './test-families.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

const ids = (records: readonly { readonly id: string }[]) => records.map(({ id }) => id);

async function newGroup(projectId: string, name: string, instrumentIds: readonly string[]): Promise<string> {
  const { group } = await service.client.createGroup({ projectId, name, actor: operator });
  const groupId = group?.id ?? '';
  for (const instrumentId of instrumentIds) {
    await service.client.addGroupMember({ projectId, groupId, instrumentId, actor: operator });
  }
  return groupId;
}

describe('instruments', () => {
  async function seeded() {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: north } = await seed.site('north');
    const { id: south } = await seed.site('south');
    const [a, b, c, d] = [
      await seed.instrument('a', north),
      await seed.instrument('b', south),
      await seed.instrument('c ΟΔΟΣΑ', north),
      await seed.instrument('d'),
    ].map(({ id }) => id) as [string, string, string, string];
    const groupId = await newGroup(projectId, 'group', [d, c, b]);
    const list = async (request: object = {}) => {
      const { instruments, nextAfter } = await client.listInstruments({ projectId, limit: 100, ...request });
      return { records: instruments, nextAfter };
    };
    return { projectId, north, south, groupId, a, b, c, d, list };
  }

  test('of a site, of a group, and of both', async () => {
    const { north, south, groupId, a, b, c, d, list } = await seeded();
    const found = async (request: object) => ids((await list(request)).records);
    expect(await found({})).toEqual([a, b, c, d]);
    expect(await found({ siteId: north })).toEqual([a, c]);
    expect(await found({ groupId })).toEqual([b, c, d]);
    expect(await found({ groupId, siteId: north })).toEqual([c]);
    expect(await found({ groupId, siteId: south })).toEqual([b]);
    expect(await found({ siteId: north, q: 'C' })).toEqual([c]);
    expect(await found({ groupId, q: 'a' })).toEqual([]);
    for (const within of [{ siteId: north }, { groupId }]) expect(await found({ ...within, q: 'ΟΔΟΣ' })).toEqual([c]);
    expect(ids(await readAll((after) => list({ siteId: north, limit: 1, after })))).toEqual([a, c]);
    expect(ids(await readAll((after) => list({ groupId, limit: 2, after })))).toEqual([b, c, d]);
  });

  test('without those that are archived, unless asked for', async () => {
    const { projectId, north, groupId, a, b, c, d, list } = await seeded();
    await service.client.archiveInstrument({ projectId, instrumentId: c, actor: operator });
    for (const [request, active, all] of [
      [{ siteId: north }, [a], [a, c]],
      [{ groupId }, [b, d], [b, c, d]],
      [{ groupId, siteId: north }, [], [c]],
    ] as const) {
      expect(ids((await list(request)).records)).toEqual(active);
      expect(ids((await list({ ...request, includeArchived: true })).records)).toEqual(all);
    }
  });

  test('of a site or a group that is not there', async () => {
    const { projectId, north, groupId, a, c, list } = await seeded();
    const other = await seeded();
    for (const id of [randomUUID(), 'x', other.north, other.groupId]) {
      expect(await errorOf(list({ siteId: id }))).toBe('not_found');
      expect(await errorOf(list({ groupId: id }))).toBe('not_found');
    }
    expect(await errorOf(list({ groupId, siteId: other.north }))).toBe('not_found');
    for (const instrumentId of [a, c]) {
      await service.client.archiveInstrument({ projectId, instrumentId, actor: operator });
    }
    await service.client.archiveSite({ projectId, siteId: north, actor: operator });
    await service.client.archiveGroup({ projectId, groupId, actor: operator });
    expect(await errorOf(list({ siteId: north }))).toBe('not_found');
    expect(await errorOf(list({ groupId }))).toBe('not_found');
    expect(ids((await list({ siteId: north, includeArchived: true })).records)).toEqual([a, c]);
    expect((await list({ groupId, includeArchived: true })).records).toHaveLength(3);
  });
});

describe('variables', () => {
  async function seeded() {
    const projectId = newProject();
    const seed = seedOf(service.client, projectId);
    const [one, two, three] = [
      await seed.instrument('one'),
      await seed.instrument('two'),
      await seed.instrument('three'),
    ].map(({ id }) => id) as [string, string, string];
    const [a, b, c, d] = [
      await seed.variable('a', one),
      await seed.variable('b', two),
      await seed.variable('c ΟΔΟΣΑ', one),
      await seed.variable('d', three),
    ].map(({ id }) => id) as [string, string, string, string];
    const search = async (request: object = {}) => {
      const { variables, nextAfter } = await service.client.searchVariables({ projectId, limit: 100, ...request });
      return { records: variables, nextAfter };
    };
    return { projectId, one, two, three, a, b, c, d, search };
  }

  test('of a project or of an instrument, of either kind', async () => {
    const { one, a, b, c, d, search } = await seeded();
    const found = async (request: object) => ids((await search(request)).records);
    expect(await found({})).toEqual([a, b, c, d]);
    expect(await found({ instrumentId: one })).toEqual([a, c]);
    expect(await found({ variableType: 'ingested', q: 'B' })).toEqual([b]);
    for (const within of [{}, { instrumentId: one }]) expect(await found({ ...within, q: 'ΟΔΟΣ' })).toEqual([c]);
    expect(await found({ variableType: 'calculated' })).toEqual([]);
    expect(await found({ instrumentId: one, variableType: 'ingested' })).toEqual([a, c]);
    expect(ids(await readAll((after) => search({ limit: 2, after })))).toEqual([a, b, c, d]);
    expect(await errorOf(search({ variableType: 'other' }))).toBe('invalid_request /variable_type');
    for (const id of [randomUUID(), 'x', (await seeded()).one]) {
      expect(await errorOf(search({ instrumentId: id }))).toBe('not_found');
    }
  });

  test('in pages of fewer than were asked for, where they have many calculations', async () => {
    const { projectId, one, a, search } = await seeded();
    const { calculated } = calculationsOf(service.client, projectId);
    const pieces = Array.from({ length: 100 }, (_, at) => reading([self(a)], at));
    for (const name of ['v', 'w', 'x', 'y', 'z', 'zz']) await calculated(name, one, pieces);
    for (const within of [{}, { instrumentId: one }]) {
      const first = await search({ ...within, variableType: 'calculated' });
      expect(first.records.map(({ name }) => name)).toEqual(['v', 'w', 'x', 'y', 'z']);
      const { records, nextAfter } = await search({ ...within, variableType: 'calculated', after: first.nextAfter });
      expect(records.map(({ name, calculations }) => [name, calculations.length])).toEqual([['zz', 100]]);
      expect(nextAfter).toBe('');
    }
  });

  test('without those that are archived, or whose instrument is', async () => {
    const { client } = service;
    const { projectId, one, two, a, b, c, d, search } = await seeded();
    await client.archiveInstrument({ projectId, instrumentId: one, actor: operator });
    await client.archiveVariable({ projectId, variableId: b, actor: operator });
    expect(ids((await search()).records)).toEqual([d]);
    expect((await search({ instrumentId: two })).records).toEqual([]);
    const { records } = await search({ includeArchived: true });
    expect(records.map(({ id, lifecycle }) => [id, lifecycle?.state])).toEqual([
      [a, 'archived'],
      [b, 'archived'],
      [c, 'archived'],
      [d, 'active'],
    ]);
    expect(await errorOf(search({ instrumentId: one }))).toBe('not_found');
    expect(ids((await search({ instrumentId: one, includeArchived: true })).records)).toEqual([a, c]);
  });

  test('of the instruments of a group, all at once', async () => {
    const { client } = service;
    const { projectId, one, three, a, b, c, d } = await seeded();
    const groupId = await newGroup(projectId, 'group', [three, one]);
    const list = async (request: object) => ids((await client.listVariables({ projectId, ...request })).variables);
    expect(await list({ groupId })).toEqual([a, c, d]);
    await client.archiveVariable({ projectId, variableId: c, actor: operator });
    await client.archiveInstrument({ projectId, instrumentId: three, actor: operator });
    expect(await list({ groupId })).toEqual([a]);
    expect(await list({ groupId, includeArchived: true })).toEqual([a, c, d]);
    for (const id of [randomUUID(), 'x']) expect(await errorOf(list({ groupId: id }))).toBe('not_found');
    for (const more of [{ instrumentId: one }, { variableIds: [b] }]) {
      expect(await errorOf(list({ groupId, ...more }))).toBe('invalid_request /group_id');
    }
  });
});
