import { randomUUID } from 'node:crypto';
import { openPool, type Sql, sql } from '@weir/kit/sql';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolve, seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

async function query(statement: Sql): Promise<Record<string, unknown>[]> {
  await using pool = openPool({ url: service.databaseUrl, max: 1 });
  return (await pool.query(statement)).rows;
}

describe('strict', () => {
  test('answers in the order asked, each name as it stands', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const a = await seed.variable('A', instrumentId, { valueType: 'boolean' });
    const b = await seed.variable('B', instrumentId);
    const answer = await client.resolve({
      projectId,
      provisioning: 'strict',
      connectionId: 'c',
      instruments: [
        { instrumentName: 'nobody', variableNames: ['A'] },
        { instrumentName: 'logger', variableNames: ['B', 'C', 'A', 'B'] },
        { instrumentName: ' logger', variableNames: [] },
      ],
    });
    const known = ({ id, variableKey, valueType }: typeof a) => ({
      errorCode: '',
      variableId: id,
      variableKey,
      valueType,
      configurationGeneration: 0,
    });
    const unknown = { variableId: '', variableKey: 0, valueType: '', configurationGeneration: 0 };
    expect(answer).toEqual({
      generation: 1,
      instruments: [
        { errorCode: 'instrument_not_found', instrumentId: '', variables: [] },
        {
          errorCode: '',
          instrumentId,
          variables: [known(b), { ...unknown, errorCode: 'variable_not_found' }, known(a), known(b)],
        },
        { errorCode: '', instrumentId, variables: [] },
      ],
    });
  });

  test('names differ by code point, and by nothing else', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('Café');
    const { id } = await seed.variable('Größe', instrumentId);
    const { outcomes } = await resolve(client, projectId, {
      'Cafe\u0301': ['Gro\u0308ße', 'größe', 'Größe '],
      café: [],
    });
    expect(outcomes).toEqual([{ instrumentId, variables: [id, 'variable_not_found', id] }, 'instrument_not_found']);
  });

  test('a site that cannot be had', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: foreign } = await seedOf(client, newProject()).site('A');
    await seed.instrument('logger');
    const sites = [foreign, randomUUID(), 'x', foreign.toUpperCase()];
    for (const provisioning of ['strict', 'automatic'] as const) {
      const names = Object.fromEntries(sites.map((site) => [`logger@${site}`, ['A']]));
      const { outcomes } = await resolve(client, projectId, names, provisioning);
      expect(outcomes).toEqual(sites.map(() => 'site_not_found'));
    }
  });

  test('an archived site: what stands there is archived, and nothing is created', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: siteId } = await seed.site('site');
    const { id: instrumentId } = await seed.instrument('logger', siteId);
    await seed.instrument('new');
    await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    await client.archiveSite({ projectId, siteId, actor: operator });
    for (const provisioning of ['strict', 'automatic'] as const) {
      const { outcomes } = await resolve(
        client,
        projectId,
        { [`logger@${siteId}`]: ['A'], [`new@${siteId}`]: ['A'] },
        provisioning,
      );
      expect(outcomes).toEqual(['instrument_archived', 'instrument_archived']);
    }
    const { instruments } = await client.listInstruments({ projectId, siteId, includeArchived: true, limit: 10 });
    expect(instruments.map(({ name }) => name)).toEqual(['logger']);
    await client.restoreSite({ projectId, siteId, actor: operator });
    await client.restoreInstrument({ projectId, instrumentId, actor: operator });
    const { outcomes } = await resolve(client, projectId, { [`logger@${siteId}`]: [], [`new@${siteId}`]: [] });
    expect(outcomes).toEqual([{ instrumentId, variables: [] }, 'instrument_not_found']);
  });

  test('a name without a site: the siteless one, else the only one, else ambiguous', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const [{ id: north }, { id: south }] = [await seed.site('north'), await seed.site('south')];
    const atNorth = { instrumentId: (await seed.instrument('logger', north)).id, variables: [] };
    const ask = async () => {
      const names = { logger: [], [`logger@${north}`]: [], [`logger@${south}`]: [] };
      return (await resolve(client, projectId, names)).outcomes;
    };
    expect(await ask()).toEqual([atNorth, atNorth, 'instrument_not_found']);
    const atSouth = { instrumentId: (await seed.instrument('logger', south)).id, variables: [] };
    expect(await ask()).toEqual(['instrument_ambiguous', atNorth, atSouth]);
    const siteless = { instrumentId: (await seed.instrument('logger')).id, variables: [] };
    expect(await ask()).toEqual([siteless, atNorth, atSouth]);
    for (const { instrumentId } of [siteless, atNorth]) {
      await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    }
    expect(await ask()).toEqual([atSouth, 'instrument_archived', atSouth]);
  });

  test('an active one wins over archived ones; only archived ones are told', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: siteId } = await seed.site('site');
    for (const site of [undefined, siteId]) {
      const { id: instrumentId } = await seed.instrument('logger', site);
      await client.archiveInstrument({ projectId, instrumentId, actor: operator });
    }
    const names = { logger: ['A'], [`logger@${siteId}`]: ['A'] };
    for (const provisioning of ['strict', 'automatic'] as const) {
      const { outcomes } = await resolve(client, projectId, names, provisioning);
      expect(outcomes).toEqual(['instrument_archived', 'instrument_archived']);
    }
    const { id: instrumentId } = await seed.instrument('logger', siteId);
    const archived = await seed.variable('A', instrumentId);
    await client.archiveVariable({ projectId, variableId: archived.id, actor: operator });
    const found = { instrumentId, variables: ['variable_archived'] };
    expect((await resolve(client, projectId, names, 'automatic')).outcomes).toEqual([found, found]);
    const { id } = await seed.variable('A', instrumentId);
    expect((await resolve(client, projectId, names)).outcomes[0]).toEqual({ instrumentId, variables: [id] });
  });

  test('a calculated variable takes no values', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    const { id } = await seed.variable('A', instrumentId);
    await query(sql`update variables.variables set variable_type = 'calculated' where id = ${id}`);
    const { outcomes } = await resolve(client, projectId, { logger: ['A'] }, 'automatic');
    expect(outcomes).toEqual([{ instrumentId, variables: ['variable_not_ingestible'] }]);
  });

  test('refuses what cannot be asked', async () => {
    const { client } = service;
    const call = { projectId: newProject(), provisioning: 'strict', connectionId: 'c' };
    expect(await errorOf(client.resolve({ ...call, projectId: 'x' }))).toBe('not_found');
    expect(await errorOf(client.resolve({ ...call, provisioning: 'x' }))).toBe('invalid_request /provisioning');
    const instruments = [{ instrumentName: 'a\nb', variableNames: ['A', '\0'] }];
    expect(await errorOf(client.resolve({ ...call, instruments }))).toBe(
      'invalid_request /instruments/0/instrument_name /instruments/0/variable_names/1',
    );
  });
});

describe('automatic', () => {
  test('creates what is missing, once, and says who', async () => {
    const { client } = service;
    const projectId = newProject();
    const { id: siteId } = await seedOf(client, projectId).site('site');
    const names = { logger: ['T (°C)', 'T [°C]', 'mean'], [`mast@${siteId}`]: ['A'], empty: [] };
    const { outcomes } = await resolve(client, projectId, names, 'automatic');
    expect(await resolve(client, projectId, names, 'automatic')).toEqual({ generation: 1, outcomes });
    expect((await resolve(client, projectId, names)).outcomes).toEqual(outcomes);
    const ids = outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.instrumentId));
    const [logger = '', mast = ''] = ids;

    const actor = { type: 'system', id: 'connection' };
    const rows = await query(sql`
      select id, site_id, created_by, updated_by from variables.instruments
      where project_id = ${projectId} order by name`);
    expect(rows).toEqual(
      [
        { id: ids[2], site_id: null },
        { id: logger, site_id: null },
        { id: mast, site_id: siteId },
      ].map((row) => ({ ...row, created_by: actor, updated_by: actor })),
    );
    const { variables } = await client.listVariables({ projectId, instrumentId: logger });
    const views = { viewOptionsJson: expect.stringContaining('"custom":false') };
    expect(variables).toMatchObject([
      { name: 'T (°C)', alias: 'T_C_', valueType: 'decimal', variableType: 'ingested', ...views },
      { name: 'T [°C]', alias: 'T_C__2', revision: 1, lifecycle: { state: 'active' } },
      { name: 'mean', alias: 'v' },
    ]);
  });

  test('adds variables to what is there, their aliases beside those taken', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument('logger');
    await seed.variable('level', instrumentId, { alias: 'flow' });
    await resolve(client, projectId, { logger: ['flow', 'level'] }, 'automatic');
    const { variables } = await client.listVariables({ projectId, instrumentId });
    expect(variables.map(({ name, alias }) => [name, alias])).toEqual([
      ['level', 'flow'],
      ['flow', 'flow_2'],
    ]);
  });

  test('a name without a site means the one created at a site beside it', async () => {
    const { client } = service;
    const projectId = newProject();
    const seed = seedOf(client, projectId);
    const [{ id: north }, { id: south }] = [await seed.site('north'), await seed.site('south')];
    const one = await resolve(client, projectId, { logger: ['A', 'B'], [`logger@${north}`]: ['A'] }, 'automatic');
    expect(one.outcomes[0]).toMatchObject({ variables: [expect.any(String), expect.any(String)] });
    expect(one.outcomes[1]).toEqual({ ...(one.outcomes[0] as object), variables: [expect.any(String)] });
    const two = await resolve(client, projectId, { logger: ['A'], [`logger@${south}`]: ['A'] }, 'automatic');
    expect(two.outcomes).toEqual([
      'instrument_ambiguous',
      expect.objectContaining({ variables: [expect.any(String)] }),
    ]);
  });

  test('creates nothing for names that cannot be had', async () => {
    const { client } = service;
    const projectId = newProject();
    await resolve(client, projectId, { [`logger@${randomUUID()}`]: ['A'] }, 'automatic');
    expect(await query(sql`select id from variables.instruments where project_id = ${projectId}`)).toEqual([]);
  });
});
