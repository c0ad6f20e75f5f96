import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

describe('create', () => {
  test('a variable with everything', async () => {
    const projectId = newProject();
    const seed = seedOf(service.client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const viewOptions = { hide: true, graph: { scale: { min: -1, max: 1, interval: 0.5, custom: true } } };
    const fields = { alias: 'level', unit: 'm', expectedCadenceS: 900, isTimeVariable: true, valueType: 'integer' };
    const viewOptionsJson = JSON.stringify(viewOptions);
    const variable = await seed.variable('Water level', instrumentId, { ...fields, viewOptionsJson });
    const defaults = { variableType: 'ingested', configurationGeneration: 0, revision: 1 };
    expect(variable).toMatchObject({ ...fields, ...defaults, projectId, instrumentId, name: 'Water level' });
    expect(JSON.parse(variable.viewOptionsJson)).toEqual(viewOptions);
    expect(variable.variableKey).toBeGreaterThan(0);
  });

  test('a variable with a name alone', async () => {
    const seed = seedOf(service.client, newProject());
    const { id: instrumentId } = await seed.instrument('logger');
    const variable = await seed.variable('Water level (m)', instrumentId);
    expect(variable).toMatchObject({ alias: 'Water_level_m_', valueType: 'decimal', isTimeVariable: false });
    expect(variable.unit).toBeUndefined();
    expect((await seed.variable('Water level [m]', instrumentId)).alias).toBe('Water_level_m__2');
    expect((await seed.variable('mean', instrumentId)).alias).toBe('v');
  });

  test('names and aliases are unique within the instrument', async () => {
    const seed = seedOf(service.client, newProject());
    const { id: instrumentId } = await seed.instrument('logger');
    const { id: other } = await seed.instrument('other');
    await seed.variable('A', instrumentId);
    await seed.variable('A', other);
    expect(await errorOf(seed.variable('A', instrumentId, { alias: 'b' }))).toBe('name_conflict /name');
    expect(await errorOf(seed.variable('B', instrumentId, { alias: 'A' }))).toBe('name_conflict /alias');
    await seed.variable('B', instrumentId, { alias: 'a' });
  });

  test('faults, and instruments that are not there or archived', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const wrong = { alias: '1', valueType: 'text', viewOptionsJson: '[]', expectedCadenceS: -1 };
    expect(await errorOf(seed.variable('', instrumentId, wrong))).toBe(
      'invalid_request /name /alias /expected_cadence_s /value_type /view_options',
    );
    for (const id of [randomUUID(), 'x']) expect(await errorOf(seed.variable('A', id))).toBe('not_found');
    expect(await errorOf(seedOf(client, newProject()).variable('A', instrumentId))).toBe('not_found');
    await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    expect(await errorOf(seed.variable('A', instrumentId))).toBe('lifecycle_conflict path/instrument_id');
  });
});

describe('lifecycle', () => {
  test('archive and restore, each idempotent; taken names and aliases are refused', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const { id: variableId } = await seed.variable('A', instrumentId);
    const change = { projectId, variableId, actor: operator };
    const { variable: archived } = await client.archiveVariable(change);
    expect(archived).toMatchObject({ revision: 2, lifecycle: { state: 'archived', archivedBy: operator } });
    expect((await client.archiveVariable(change)).variable).toEqual(archived);

    const { id: sameName } = await seed.variable('A', instrumentId, { alias: 'other' });
    expect(await errorOf(client.restoreVariable(change))).toBe('name_conflict /name');
    await client.archiveVariable({ ...change, variableId: sameName });
    const { id: sameAlias } = await seed.variable('B', instrumentId, { alias: 'A' });
    expect(await errorOf(client.restoreVariable(change))).toBe('name_conflict /alias');
    await client.archiveVariable({ ...change, variableId: sameAlias });
    const { variable: restored } = await client.restoreVariable(change);
    expect(restored).toMatchObject({ revision: 3, lifecycle: { state: 'active' } });
    expect((await client.restoreVariable(change)).variable).toEqual(restored);
  });

  test('an archived instrument hides its variables and brings back those that were active', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const [kept, gone] = [await seed.variable('kept', instrumentId), await seed.variable('gone', instrumentId)];
    await client.archiveVariable({ projectId, variableId: gone.id, actor: operator });
    const admin = { type: 'user', id: 'admin' };
    const { instrument } = await client.archiveInstrument({ projectId, instrumentId, actor: admin });

    const variableIds = [kept.id, gone.id];
    expect((await client.listVariables({ projectId, variableIds })).variables).toEqual([]);
    const { variables } = await client.listVariables({ projectId, variableIds, includeArchived: true });
    expect(variables[0]?.lifecycle).toEqual(instrument?.lifecycle);
    expect(variables[1]?.lifecycle).toMatchObject({ state: 'archived', archivedBy: operator });
    const restore = { projectId, variableId: gone.id, actor: operator };
    expect(await errorOf(client.restoreVariable(restore))).toBe('lifecycle_conflict path/variable_id');

    await client.restoreInstrument({ projectId, instrumentId, actor: operator });
    expect((await client.listVariables({ projectId, variableIds })).variables).toEqual([kept]);
  });

  test('no variable comes to be under an instrument that is archived at the same time', async () => {
    const { client } = service;
    const other = await service.another();
    const projectId = newProject();
    const { id: instrumentId } = await seedOf(client, projectId).instrument('logger');
    for (let round = 0; round < 15; round++) {
      const change = { projectId, instrumentId, actor: operator };
      const [archived, created] = await Promise.all([
        client.archiveInstrument(change),
        seedOf(other, projectId)
          .variable(`v${round}`, instrumentId)
          .then(({ createdAtUs }) => createdAtUs)
          .catch((error: Error) => error.message),
      ]);
      const archivedAtUs = archived.instrument?.lifecycle?.archivedAtUs ?? 0;
      expect(created).toSatisfy(
        (what) => what === 'The instrument is archived; restore it first.' || what < archivedAtUs,
      );
      await client.restoreInstrument(change);
    }
  });

  test('of many that take one name at the same time, one gets it', async () => {
    const { client } = service;
    const other = await service.another();
    const projectId = newProject();
    const { id: instrumentId } = await seedOf(client, projectId).instrument('logger');
    const errors = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        errorOf(seedOf(n % 2 === 0 ? client : other, projectId).variable('same', instrumentId)),
      ),
    );
    expect(errors.toSorted()).toEqual([...Array.from({ length: 11 }, () => 'name_conflict /name'), 'no error']);
    const different = await Promise.all(
      ['a b', 'a-b', 'a_b', 'a b '.repeat(2)].map((name) => seedOf(other, projectId).variable(name, instrumentId)),
    );
    expect(new Set(different.map(({ alias }) => alias)).size).toBe(4);
  });

  test('what is not there, or of another project', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: variableId } = await seed.variable('A', (await seed.instrument('logger')).id);
    for (const wrong of [
      { projectId: newProject(), variableId },
      { projectId, variableId: randomUUID() },
      { projectId, variableId: 'x' },
    ]) {
      expect(await errorOf(client.archiveVariable({ ...wrong, actor: operator }))).toBe('not_found');
      expect(await errorOf(client.restoreVariable({ ...wrong, actor: operator }))).toBe('not_found');
    }
  });
});

describe('list', () => {
  test('by ids in the order asked, without those that cannot be had', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const [a, b, c] = [
      await seed.variable('A', instrumentId),
      await seed.variable('B', instrumentId),
      await seed.variable('C', instrumentId),
    ];
    const other = seedOf(client, newProject());
    const foreign = await other.variable('A', (await other.instrument('logger')).id);
    await client.archiveVariable({ projectId, variableId: b.id, actor: operator });

    const variableIds = [c.id, 'x', foreign.id, b.id, randomUUID(), a.id, c.id];
    expect((await client.listVariables({ projectId, variableIds })).variables).toEqual([c, a]);
    const withArchived = await client.listVariables({ projectId, variableIds, includeArchived: true });
    expect(withArchived.variables.map(({ id }) => id)).toEqual([c.id, b.id, a.id]);
    expect((await client.listVariables({ projectId })).variables).toEqual([]);
  });

  test('of an instrument in the order of creation, or the ids that it has', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const [b, a] = [await seed.variable('B', instrumentId), await seed.variable('A', instrumentId)];
    const elsewhere = await seed.variable('A', (await seed.instrument('other')).id);
    await client.archiveVariable({ projectId, variableId: b.id, actor: operator });

    expect((await client.listVariables({ projectId, instrumentId })).variables).toEqual([a]);
    const all = await client.listVariables({ projectId, instrumentId, includeArchived: true });
    expect(all.variables.map(({ id }) => id)).toEqual([b.id, a.id]);
    const variableIds = [elsewhere.id, a.id];
    expect((await client.listVariables({ projectId, instrumentId, variableIds })).variables).toEqual([a]);

    for (const id of [randomUUID(), 'x']) {
      expect(await errorOf(client.listVariables({ projectId, instrumentId: id }))).toBe('not_found');
    }
    await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    expect(await errorOf(client.listVariables({ projectId, instrumentId }))).toBe('not_found');
    const hidden = await client.listVariables({ projectId, instrumentId, includeArchived: true });
    expect(hidden.variables.map(({ id }) => id)).toEqual([b.id, a.id]);
  });

  test('up to a thousand ids', async () => {
    const { client } = service;
    const projectId = newProject();
    const ids = Array.from({ length: 1001 }, () => randomUUID());
    expect((await client.listVariables({ projectId, variableIds: ids.slice(1) })).variables).toEqual([]);
    expect(await errorOf(client.listVariables({ projectId, variableIds: ids }))).toBe('invalid_request /variable_ids');
  });
});
