import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { instantAt, reading } from '../harness/points.js';
import { type ProjectApi, projectApiOf } from '../harness/project-api.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

let stack: TestStack;
let api: Api;
let project: ProjectApi;

beforeAll(async () => {
  stack = await openTestStack();
  const tenant = await createTenant(stack.addresses.access);
  api = apiOf(stack.gatewayUrl, tenant);
  project = projectApiOf(stack.gatewayUrl, tenant);
});
afterAll(() => stack?.[Symbol.asyncDispose]());

const done: ProjectApi['done'] = (...args) => project.done(...args);
const call: ProjectApi['call'] = (...args) => project.call(...args);

/** What a call is refused with: its code, and the place and code of its first detail. */
async function refusal(method: string, path: string, json?: unknown) {
  const { status, error } = await call(method, path, json);
  const [detail] = error?.details ?? [];
  return [status, error?.code, `${detail?.path} ${detail?.code}`];
}

/** The state of the run of one point, and why. */
async function outcomeOf(point: ReturnType<typeof reading> & { readonly site_id?: string }) {
  const { runs } = await api.ingest([point]);
  await stack.drained();
  const run = await api.run(runs[0]?.run_id ?? '');
  return [run.state, run.error?.code ?? run.variables.find(({ error }) => error !== null)?.error?.code];
}

test('a site, its instrument, and what it measures', async () => {
  const site = await done('POST', '/sites', { name: 'North weir', timezone: 'Europe/Amsterdam' });
  const instrument = await done('POST', '/instruments', { name: 'Gauge', site_id: site.id });
  expect(instrument).toMatchObject({ site_id: site.id, last_observation_at: null, revision: 1 });
  const point = { ...reading('Gauge', 7, 1.25), site_id: site.id };
  expect(await outcomeOf(point)).toEqual(['succeeded', undefined]);

  // what was made for the points is a record like any other
  const { items } = await done('GET', `/variables?instrument_id=${instrument.id}`);
  expect(items).toMatchObject([{ name: 'level', variable_type: 'ingested', value_type: 'decimal' }]);
  const path = `/instruments/${instrument.id}/ingested-variables/${items[0].id}`;
  const changed = await done('PATCH', path, { unit: 'm', expected_cadence_s: 600, expected_revision: 1 });
  expect(changed).toMatchObject({ unit: 'm', expected_cadence_s: 600, revision: 2 });
  expect(await done('PATCH', path, { unit: 'm' })).toEqual(changed);
  expect(await done('PATCH', path, { unit: null })).toMatchObject({ unit: null, revision: 3 });
  expect(await refusal('PATCH', path, { value_type: 'integer' })).toEqual([
    409,
    'lifecycle_conflict',
    '/value_type has_observations',
  ]);

  const seen = (await done('GET', '/instruments?q=gAuG')).items;
  expect(seen).toMatchObject([{ id: instrument.id, last_observation_at: instantAt(7) }]);
  const group = await done('POST', '/instrument-groups', { name: 'River' });
  const member = `/instrument-groups/${group.id}/members/${instrument.id}`;
  const added = await done('PUT', member);
  expect(await done('PUT', member)).toEqual(added);
  expect((await done('GET', `/instruments?group_id=${group.id}`)).items).toEqual(seen);
  expect((await done('GET', `/observations/latest?group_id=${group.id}`)).items).toMatchObject([
    { variable_id: items[0].id, timestamp: instantAt(7), value: 1.25 },
  ]);
  expect(await done('DELETE', member)).toEqual({});
  expect((await done('GET', `/observations/latest?group_id=${group.id}`)).items).toEqual([]);
});

test('an archived instrument hides what belongs to it, and restoring brings that back', async () => {
  const site = await done('POST', '/sites', { name: 'South weir' });
  const instrument = await done('POST', '/instruments', { name: 'Float', site_id: site.id });
  const path = `/instruments/${instrument.id}`;
  const kept = await done('POST', `${path}/ingested-variables`, { name: 'level' });
  const gone = await done('POST', `${path}/ingested-variables`, { name: 'old level' });
  await done('POST', `${path}/ingested-variables/${gone.id}/archive`);
  const point = { ...reading('Float', 0, 1), site_id: site.id };
  expect(await outcomeOf({ ...point, ingested_variables: [{ name: 'old level', value: 1 }] })).toEqual([
    'failed',
    'variable_archived',
  ]);

  // a site with active instruments stays
  const inUse = await call('POST', `/sites/${site.id}/archive`);
  expect([inUse.status, inUse.error?.code]).toEqual([409, 'dependency_conflict']);
  expect(inUse.error?.details[0]?.message).toContain(instrument.id);

  const archived = await done('POST', `${path}/archive`);
  expect(archived).toMatchObject({ lifecycle_state: 'archived', archived_by: { type: 'developer_api_key' } });
  expect(await done('POST', `${path}/archive`)).toEqual(archived);
  expect((await call('GET', path)).status).toBe(404);
  expect((await call('GET', `/variables/${kept.id}`)).status).toBe(404);
  expect(await done('GET', `/variables/${kept.id}?include_archived=true`)).toMatchObject({
    lifecycle_state: 'archived',
  });
  expect(await outcomeOf(point)).toEqual(['failed', 'instrument_archived']);
  expect(await refusal('PATCH', path, { name: 'Float 2' })).toEqual([
    409,
    'lifecycle_conflict',
    'path/instrument_id archived',
  ]);

  await done('POST', `/sites/${site.id}/archive`);
  expect(await outcomeOf(point)).toEqual(['failed', 'instrument_archived']);
  expect(await refusal('POST', `${path}/restore`)).toEqual([
    409,
    'lifecycle_conflict',
    'path/instrument_id site_archived',
  ]);
  await done('POST', `/sites/${site.id}/restore`);
  expect(await done('POST', `${path}/restore`)).toMatchObject({ lifecycle_state: 'active', archived_at: null });
  expect(await done('GET', `/variables/${kept.id}`)).toMatchObject({ lifecycle_state: 'active' });
  expect((await call('GET', `/variables/${gone.id}`)).status).toBe(404);
  expect(await outcomeOf(point)).toEqual(['succeeded', undefined]);
});

describe('conflicts', () => {
  test('a name is unique among the active records of its scope', async () => {
    const [one, two] = [
      await done('POST', '/instruments', { name: 'Twin' }),
      await done('POST', '/instruments', { name: 'Other' }),
    ];
    const takenAt = (path: string) => [409, 'name_conflict', `${path} name_taken`];
    const taken = takenAt('/name');
    expect(await refusal('POST', '/instruments', { name: ' Twin ' })).toEqual(taken);
    expect(await refusal('PATCH', `/instruments/${two.id}`, { name: 'Twin' })).toEqual(taken);
    await done('POST', `/instruments/${one.id}/archive`);
    await done('PATCH', `/instruments/${two.id}`, { name: 'Twin' });
    // a restore has no body, and a move no name: told is what makes it take the name
    expect(await refusal('POST', `/instruments/${one.id}/restore`)).toEqual(takenAt('path/instrument_id'));
    // compared by code point, within the site
    await done('POST', '/instruments', { name: 'twin' });
    const { id: siteId } = await done('POST', '/sites', { name: 'Elsewhere' });
    await done('POST', '/instruments', { name: 'Twin', site_id: siteId });
    expect(await refusal('PATCH', `/instruments/${two.id}`, { site_id: siteId })).toEqual(takenAt('/site_id'));
    expect(await refusal('PATCH', `/instruments/${two.id}`, { name: 'Twin', site_id: siteId })).toEqual(taken);
  });

  test('a stale revision is told with the current one, and of many patches one wins', async () => {
    const { id } = await done('POST', '/sites', { name: 'Contested' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call('PATCH', `/sites/${id}`, { expected_revision: 1, description: `patch ${i}` }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, error } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, error?.code, error?.details[0]?.path]).toEqual([409, 'revision_conflict', '/expected_revision']);
      expect(error?.details[0]?.message).toContain('current revision is 2');
    }
  });

  test('what a calculation reads is not archived under it, nor renamed', async () => {
    const { id: instrumentId } = await done('POST', '/instruments', { name: 'Rated' });
    const base = `/instruments/${instrumentId}`;
    const level = await done('POST', `${base}/ingested-variables`, { name: 'water level' });
    const values = [{ start_time: '2026-01-01T00:00:00Z', value: 2 }];
    const slope = await done('POST', `${base}/calibration-constants`, { name: 'slope', values });
    const written = await done('POST', `${base}/calculated-variables`, {
      name: 'discharge',
      calculations: [
        {
          start_time: '2026-01-01T01:00:00+01:00',
          expression: 'water_level * slope',
          inputs: [
            { kind: 'self_variable', variable_id: level.id },
            { kind: 'constant', constant_id: slope.resource.id },
          ],
        },
      ],
    });
    const { id } = written.resource;
    const [{ id: calculationId, inputs, start_time: startTime }] = written.resource.calculations;
    expect([level.alias, startTime]).toEqual(['water_level', '2026-01-01T00:00:00.000Z']);
    for (const each of [calculationId, inputs[0].id, inputs[1].id]) expect(each).toMatch(/^[A-Za-z0-9_-]{21}$/);

    for (const [path, id] of [
      [`${base}/ingested-variables/${level.id}`, 'path/variable_id'],
      [`${base}/calibration-constants/${slope.resource.id}`, 'path/constant_id'],
    ]) {
      const archived = await call('POST', `${path}/archive`);
      expect([archived.error?.code, archived.error?.details[0]?.path]).toEqual(['dependency_conflict', id]);
      expect(archived.error?.details[0]?.message).toContain('discharge');
      const renamed = await call('PATCH', `${path}`, { alias: 'other' });
      expect([renamed.error?.code, renamed.error?.details[0]?.path]).toEqual(['dependency_conflict', '/alias']);
    }
    const changed = await done('PATCH', `${base}/calibration-constants/${slope.resource.id}`, {
      values: [{ ...values[0], value: 3 }],
    });
    const path = `${base}/calculated-variables/${id}`;
    const renamed = await done('PATCH', path, { name: 'flow' });
    expect(renamed.resource).toMatchObject({ id, name: 'flow', calculations: written.resource.calculations });
    expect(renamed.resource.configuration_generation).toBeGreaterThan(written.resource.configuration_generation);

    // every write that can change values is a run of the project, and shows what caused it
    const runs = await done('GET', '/runs?limit=100');
    const ids = runs.items.map((run: { run_id: string }) => run.run_id);
    for (const run of [written, changed, renamed]) expect(ids).toContain(run.recalculation_batch_run_id);
    expect(await done('GET', `/runs/${changed.recalculation_batch_run_id}`)).toMatchObject({
      kind: 'recalculation',
      cause: { kind: 'calibration_constant', id: slope.resource.id },
    });

    await done('POST', `${path}/archive`);
    await done('POST', `${base}/ingested-variables/${level.id}/archive`);
    expect((await call('POST', `${path}/restore`)).error?.code).toBe('dependency_conflict');
    await done('POST', `${base}/ingested-variables/${level.id}/restore`);
    expect((await done('POST', `${path}/restore`)).resource).toMatchObject({ id, lifecycle_state: 'active' });
    await done('POST', `${base}/archive`);
    const back = await done('POST', `${base}/restore`);
    expect(await done('GET', `/runs/${back.recalculation_batch_run_id}`)).toMatchObject({
      cause: { kind: 'instrument', id: back.id },
      progress: { ranges: { total: 1 } },
    });
  });
});

test('a calculated variable is answered with the members that are documented, and no others', async () => {
  const { id: instrumentId } = await done('POST', '/instruments', { name: 'Specified' });
  const { id: otherId } = await done('POST', '/instruments', { name: 'Specified too' });
  const level = await done('POST', `/instruments/${instrumentId}/ingested-variables`, { name: 'level' });
  const air = await done('POST', `/instruments/${otherId}/ingested-variables`, { name: 'air' });
  const values = [{ start_time: '2026-01-01T00:00:00Z', value: 2 }];
  const { resource: slope } = await done('POST', `/instruments/${instrumentId}/calibration-constants`, {
    name: 'slope',
    values,
  });
  const idOf = (letter: string) => letter.repeat(21);
  const absent = { variable_id: null, constant_id: null, source_instrument_id: null, past_buffer_seconds: null };
  const given = {
    name: 'discharge',
    alias: 'q',
    unit: 'm³/s',
    expected_cadence_s: 600,
    is_time_variable: true,
    value_type: 'integer',
    view_options: { hide: true, graph: { scale: { min: -1.5, max: 20, interval: 0.5, custom: true } } },
    calculations: [
      {
        id: idOf('c'),
        start_time: '2026-01-01T00:00:00.000001Z',
        expression: 'level * slope - mean(air)',
        editor_tokens: [
          { kind: 'text', text: 'level ' },
          { kind: 'operator', text: '*' },
        ],
        inputs: [
          { ...absent, id: idOf('i'), kind: 'self_variable', variable_id: level.id },
          { ...absent, id: idOf('j'), kind: 'constant', constant_id: slope.id },
          {
            ...{ id: idOf('k'), kind: 'instrument_variable', variable_id: air.id, constant_id: null },
            ...{ source_instrument_id: otherId, past_buffer_seconds: 1800.5 },
          },
        ],
      },
    ],
  };
  const collection = `/instruments/${instrumentId}/calculated-variables`;
  const { resource, ...others } = await done('POST', collection, given);
  expect(others).toEqual({ recalculation_batch_run_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/);
  expect(resource).toEqual({
    ...given,
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    project_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    instrument_id: instrumentId,
    variable_type: 'calculated',
    configuration_generation: 1,
    revision: 1,
    created_at: instant,
    updated_at: instant,
    lifecycle_state: 'active',
    archived_at: null,
    archived_by: null,
  });
  const path = `${collection}/${resource.id}`;
  expect(await done('GET', path)).toEqual(resource);
  expect(await done('GET', `/variables/${resource.id}`)).toEqual(resource);
  expect((await done('GET', collection)).items).toEqual([resource]);
  // what is answered can be sent back, and changes nothing
  const { calculations, view_options } = resource;
  expect((await done('PATCH', path, { calculations, view_options })).resource).toEqual(resource);
  const archived = await done('POST', `${path}/archive`);
  const who = { type: 'developer_api_key', id: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  expect(archived).toEqual({
    ...{ ...resource, revision: 2, updated_at: instant },
    ...{ lifecycle_state: 'archived', archived_at: instant, archived_by: who },
  });
});
