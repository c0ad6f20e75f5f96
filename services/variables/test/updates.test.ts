import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import type { DeepPartial, UpdateInstrumentRequest, UpdateSiteRequest } from '@weir/proto/variables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolve, seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

const generationOf = async (projectId: string) => (await resolve(service.client, projectId, {})).generation;

describe('sites', () => {
  const fields = {
    description: 'd',
    latitude: 1,
    longitude: 2,
    elevationM: 3,
    timezone: 'Europe/Berlin',
    metadata: { a: '1', b: '2' },
  };

  async function seeded() {
    const projectId = newProject();
    const site = await seedOf(service.client, projectId).site('A', fields);
    const update = async (patch: DeepPartial<UpdateSiteRequest['patch']>) =>
      (await service.client.updateSite({ projectId, siteId: site.id, actor: operator, patch })).site;
    return { projectId, site, update };
  }

  test('keep what a patch does not have, and take the rest whole', async () => {
    const { site, update } = await seeded();
    const changes = { updatedAtUs: expect.any(Number) };
    expect(await update({ latitude: -0, metadata: { entries: { b: '3' } } })).toEqual({
      ...site,
      latitude: 0,
      metadata: { b: '3' },
      revision: 2,
      ...changes,
    });
    const rest = { name: 'B', description: '', longitude: 180, elevationM: -1, timezone: 'UTC' };
    const whole = { ...rest, metadata: {}, latitude: 0, revision: 3 };
    expect(await update({ ...rest, metadata: { entries: {} } })).toEqual({ ...site, ...whole, ...changes });
    expect(await update({ metadata: { entries: {} } })).toMatchObject({ revision: 3 });
  });

  test('clear what may be null', async () => {
    const { update } = await seeded();
    const cleared = await update({ cleared: ['latitude', 'longitude', 'elevation_m'] });
    expect(cleared).toMatchObject({ latitude: undefined, longitude: undefined, elevationM: undefined, revision: 2 });
    expect(await update({ cleared: ['latitude'] })).toEqual(cleared);
    const wrong = { latitude: 91, timezone: '', name: '', cleared: ['timezone', 'metadata'] };
    expect(await errorOf(update(wrong))).toBe('invalid_request /name /latitude /timezone /timezone /metadata');
  });

  test('keep what their names mean to points', async () => {
    const { projectId, update } = await seeded();
    const before = await generationOf(projectId);
    await update({ name: 'B', timezone: 'UTC' });
    expect(await generationOf(projectId)).toBe(before);
  });
});

describe('instruments', () => {
  async function seeded(fields: object = {}) {
    const projectId = newProject();
    const seed = seedOf(service.client, projectId);
    const [north, south] = [await seed.site('north'), await seed.site('south')];
    const instrument = await seed.instrument('A', north.id, fields);
    const update = async (patch: DeepPartial<UpdateInstrumentRequest['patch']>, instrumentId = instrument.id) =>
      (await service.client.updateInstrument({ projectId, instrumentId, actor: operator, patch })).instrument;
    return { projectId, seed, north: north.id, south: south.id, instrument, update };
  }

  test('keep what a patch does not have, and clear what may be null', async () => {
    const fields = { description: 'd', manufacturer: 'm', model: 'n', serialNumber: 's', metadata: { a: '1' } };
    const { instrument, update } = await seeded(fields);
    const patch = { description: 'e', manufacturer: 'x', metadata: { entries: { c: '' } } };
    const changed = { ...patch, metadata: { c: '' }, revision: 2, updatedAtUs: expect.any(Number) };
    expect(await update(patch)).toEqual({ ...instrument, ...changed });
    const cleared = await update({ cleared: ['manufacturer', 'model', 'serial_number'] });
    expect(cleared).toMatchObject({ manufacturer: undefined, model: undefined, serialNumber: undefined, revision: 3 });
    expect(await errorOf(update({ model: '\0', cleared: ['description'] }))).toBe(
      'invalid_request /model /description',
    );
  });

  test('move to another active site, or to none', async () => {
    const { projectId, seed, north, south, update } = await seeded();
    expect(await update({ siteId: south })).toMatchObject({ siteId: south, revision: 2 });
    expect(await update({ siteId: south })).toMatchObject({ siteId: south, revision: 2 });
    const { id: foreign } = await seedOf(service.client, newProject()).site('A');
    for (const siteId of [foreign, randomUUID(), 'x', '']) {
      expect(await errorOf(update({ siteId }))).toBe('invalid_request /site_id');
    }
    await service.client.archiveSite({ projectId, siteId: north, actor: operator });
    expect(await errorOf(update({ siteId: north }))).toBe('lifecycle_conflict /site_id');
    const { id: sited } = await seed.instrument('B', south);
    expect((await update({ cleared: ['site_id'] }))?.siteId).toBeUndefined();
    expect(await errorOf(update({ cleared: ['site_id'], name: 'A' }, sited))).toBe('name_conflict /name');
    const archive = service.client.archiveSite({ projectId, siteId: south, actor: operator });
    expect(await errorOf(archive)).toBe('dependency_conflict path/site_id');
  });

  test('have names that are unique in the scope that they come to', async () => {
    const { seed, south, update } = await seeded();
    await seed.instrument('A', south);
    expect(await errorOf(update({ siteId: south }))).toBe('name_conflict /name');
    expect(await update({ siteId: south, name: 'B' })).toMatchObject({ siteId: south, name: 'B', revision: 2 });
    await seed.instrument('B');
    expect(await errorOf(update({ cleared: ['site_id'] }))).toBe('name_conflict /name');
  });

  test('that are renamed or moved make names mean something else at once', async () => {
    const { projectId, north, south, instrument, update } = await seeded();
    const before = await generationOf(projectId);
    await update({ description: 'e' });
    expect(await generationOf(projectId)).toBe(before);
    await update({ name: 'B' });
    expect(await generationOf(projectId)).toBe(before + 1);
    await update({ siteId: south });
    const found = { instrumentId: instrument.id, variables: [] };
    expect(await resolve(service.client, projectId, { A: [], [`B@${north}`]: [], [`B@${south}`]: [], B: [] })).toEqual({
      generation: before + 2,
      outcomes: ['instrument_not_found', 'instrument_not_found', found, found],
    });
  });

  test('never come to be at a site that is archived at the same time', async () => {
    const { client } = service;
    const other = await service.another();
    const { projectId, seed } = await seeded();
    const { id: instrumentId } = await seed.instrument('mover');
    for (let round = 0; round < 15; round++) {
      const { id: siteId } = await seed.site(`site ${round}`);
      const [archived, moved] = await Promise.all([
        errorOf(client.archiveSite({ projectId, siteId, actor: operator })),
        errorOf(other.updateInstrument({ projectId, instrumentId, actor: operator, patch: { siteId } })),
      ]);
      expect(['no error lifecycle_conflict /site_id', 'dependency_conflict path/site_id no error']).toContain(
        `${archived} ${moved}`,
      );
    }
  });
});
