import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('create and get', () => {
  test('a site with everything', async () => {
    const { client } = service;
    const projectId = newProject();
    const fields = {
      description: 'line one\nline two',
      latitude: -41.5,
      longitude: 174.25,
      elevationM: 12.5,
      timezone: 'Pacific/Auckland',
      metadata: { river: 'Wairau', 'a/b': '' },
    };
    const site = await seedOf(client, projectId).site(' Wairau at Tuamarina ', fields);
    expect(site).toMatchObject({ ...fields, projectId, name: 'Wairau at Tuamarina', revision: 1 });
    expect(site.lifecycle).toEqual({ state: 'active', archivedAtUs: undefined, archivedBy: undefined });
    expect(site.updatedAtUs).toBe(site.createdAtUs);
    expect(await client.getSite({ projectId, siteId: site.id })).toEqual({ site });
  });

  test('a site with a name alone', async () => {
    const site = await seedOf(service.client, newProject()).site('A');
    expect(site).toMatchObject({ description: '', timezone: 'UTC', metadata: {} });
    expect(site.latitude).toBeUndefined();
  });

  test('every fault at once', async () => {
    const request = { projectId: newProject(), name: '', latitude: 91, timezone: 'x', actor: operator };
    expect(await errorOf(service.client.createSite(request))).toBe('invalid_request /name /latitude /timezone');
  });

  test('what is not there, or of another project', async () => {
    const { client } = service;
    const projectId = newProject();
    const { id: siteId } = await seedOf(client, projectId).site('A');
    for (const wrong of [
      { projectId: newProject(), siteId },
      { projectId, siteId: randomUUID() },
      { projectId, siteId: 'x' },
      { projectId: 'x', siteId },
    ]) {
      expect(await errorOf(client.getSite(wrong))).toBe('not_found');
      expect(await errorOf(client.archiveSite({ ...wrong, actor: operator }))).toBe('not_found');
      expect(await errorOf(client.restoreSite({ ...wrong, actor: operator }))).toBe('not_found');
    }
  });

  test('names are unique in a project, by code point', async () => {
    const { client } = service;
    const seed = seedOf(client, newProject());
    await seed.site('Straße');
    expect(await errorOf(seed.site('Straße'))).toBe('name_conflict /name');
    await seed.site('straße');
    await seed.site('Strasse');
    await seedOf(client, newProject()).site('Straße');
  });
});

describe('lifecycle', () => {
  test('archive and restore, each idempotent', async () => {
    const { client } = service;
    const projectId = newProject();
    const { id: siteId, updatedAtUs } = await seedOf(client, projectId).site('A');
    const key = { type: 'developer_api_key', id: 'key' };
    const { site: archived } = await client.archiveSite({ projectId, siteId, actor: key });
    expect(archived).toMatchObject({ revision: 2, lifecycle: { state: 'archived', archivedBy: key } });
    expect(archived?.lifecycle?.archivedAtUs).toBeGreaterThan(updatedAtUs);
    expect((await client.archiveSite({ projectId, siteId, actor: operator })).site).toEqual(archived);

    expect(await errorOf(client.getSite({ projectId, siteId }))).toBe('not_found');
    expect((await client.getSite({ projectId, siteId, includeArchived: true })).site).toEqual(archived);

    const { site: restored } = await client.restoreSite({ projectId, siteId, actor: operator });
    expect(restored).toMatchObject({ revision: 3, lifecycle: { state: 'active' } });
    expect((await client.restoreSite({ projectId, siteId, actor: key })).site).toEqual(restored);
    expect(await errorOf(client.archiveSite({ projectId, siteId }))).toBe('invalid_request /actor');
  });

  test('an archived name is free, and a restore into a taken one is refused', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: siteId } = await seed.site('A');
    await client.archiveSite({ projectId, siteId, actor: operator });
    await seed.site('A');
    expect(await errorOf(client.restoreSite({ projectId, siteId, actor: operator }))).toBe('name_conflict /name');
  });

  test('active instruments keep a site, and are named', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: siteId } = await seed.site('A');
    const first = await seed.instrument('first', siteId);
    const second = await seed.instrument('second', siteId);
    const archive = { projectId, siteId, actor: operator };
    await client.archiveInstrument({ projectId, instrumentId: first.id, actor: operator });
    await expect(client.archiveSite(archive)).rejects.toMatchObject({
      code: 'dependency_conflict',
      details: [{ path: 'path/site_id', message: expect.stringContaining(second.id) }],
    });
    await client.archiveInstrument({ projectId, instrumentId: second.id, actor: operator });
    expect((await client.archiveSite(archive)).site?.lifecycle?.state).toBe('archived');

    expect(await errorOf(seed.instrument('third', siteId))).toBe('lifecycle_conflict /site_id');
    const restore = { projectId, instrumentId: first.id, actor: operator };
    expect(await errorOf(client.restoreInstrument(restore))).toBe('lifecycle_conflict path/instrument_id');
    await client.restoreSite(archive);
    expect((await client.restoreInstrument(restore)).instrument?.lifecycle?.state).toBe('active');
  });

  test('a site is never archived under an instrument that is created at the same time', async () => {
    const { client } = service;
    const other = await service.another();
    const projectId = newProject();
    for (let round = 0; round < 20; round++) {
      const { id: siteId } = await seedOf(client, projectId).site(`site ${round}`);
      const [archived, created] = await Promise.all([
        errorOf(client.archiveSite({ projectId, siteId, actor: operator })),
        errorOf(seedOf(other, projectId).instrument(`instrument ${round}`, siteId)),
      ]);
      expect(['no error lifecycle_conflict /site_id', 'dependency_conflict path/site_id no error']).toContain(
        `${archived} ${created}`,
      );
    }
  });
});
