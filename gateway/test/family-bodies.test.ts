import { newId } from '@weir/kit/ids';
import { allPermissions } from '@weir/kit/permissions';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { calculationJson, ids, ingested } from './catalog-messages.js';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
let key: string;
beforeAll(async () => {
  gateway = await startWithFakes();
  key = gateway.fakes.developerKey(allPermissions);
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.fakes.asked.length = 0;
});

const send = (method: string, path: string, body: unknown) =>
  gateway.call(method, `/dev-api/v1/p/${gateway.fakes.projectId}${path}`, { key, body });
const instrument = `/instruments/${ids.instrument}`;
const [input] = calculationJson.inputs;
const calculated = (change: object) => ({ name: 'a', calculations: [{ ...calculationJson, ...change }] });
const withInput = (change: object) => calculated({ inputs: [{ ...input, ...change }] });

describe('a body with faults asks nobody', () => {
  test.each<[what: string, method: string, path: string, body: unknown, faults: string[]]>([
    ['no name', 'POST', '/sites', {}, ['/name required']],
    ['a blank name', 'POST', '/sites', { name: ' \t' }, ['/name invalid_name']],
    ['a long name', 'POST', '/sites', { name: 'é'.repeat(257) }, ['/name invalid_name']],
    ['a name with a control character', 'POST', '/instrument-groups', { name: 'a\nb' }, ['/name invalid_name']],
    ['null for what may not be null', 'PATCH', `/sites/${ids.site}`, { name: null }, ['/name invalid_type']],
    [
      'numbers out of bounds, all at once',
      'POST',
      '/sites',
      { name: 'a', latitude: 90.1, longitude: -181, timezone: '+01:00', description: 'x'.repeat(4097) },
      ['/description too_long', '/latitude out_of_range', '/longitude out_of_range', '/timezone invalid_timezone'],
    ],
    [
      'metadata that is no texts',
      'POST',
      '/instruments',
      { name: 'a', metadata: { a: 1, b: null } },
      ['/metadata/a invalid_type', '/metadata/b invalid_type'],
    ],
    [
      'too much metadata',
      'POST',
      '/instruments',
      { name: 'a', metadata: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) },
      ['/metadata too_many_members'],
    ],
    ['an empty patch', 'PATCH', `/sites/${ids.site}`, {}, [' empty_patch']],
    ['a patch of the revision alone', 'PATCH', `/sites/${ids.site}`, { expected_revision: 1 }, [' empty_patch']],
    [
      'no revision',
      'PATCH',
      `/sites/${ids.site}`,
      { name: 'a', expected_revision: 0 },
      ['/expected_revision out_of_range'],
    ],
    ['a record as it was read', 'PATCH', `/sites/${ids.site}`, { name: 'a', id: ids.site }, ['/id unknown_field']],
    [
      'a wrong alias',
      'POST',
      `${instrument}/ingested-variables`,
      { name: 'a', alias: '1a' },
      ['/alias invalid_format'],
    ],
    [
      'a word of expressions as alias, and another fault',
      'POST',
      `${instrument}/ingested-variables`,
      { name: 'a', alias: 'and', expected_cadence_s: 0 },
      ['/alias invalid_alias', '/expected_cadence_s out_of_range'],
    ],
    [
      'view options below',
      'POST',
      `${instrument}/ingested-variables`,
      { name: 'a', view_options: { graph: { scale: { min: 1, max: 1, custom: true }, x: 1 } } },
      ['/view_options/graph/scale out_of_range', '/view_options/graph/x unknown_field'],
    ],
    ['no calculations', 'POST', `${instrument}/calculated-variables`, { name: 'a' }, ['/calculations required']],
    [
      'calculations of an ingested variable',
      'PATCH',
      `${instrument}/ingested-variables/${ids.variable}`,
      { calculations: [] },
      ['/calculations unknown_field'],
    ],
    [
      'a time without a zone',
      'POST',
      `${instrument}/calculated-variables`,
      calculated({ start_time: '2026-01-01T00:00:00' }),
      ['/calculations/0/start_time invalid_instant'],
    ],
    [
      'an id that is too short',
      'POST',
      `${instrument}/calculated-variables`,
      calculated({ id: 'x' }),
      ['/calculations/0/id invalid_format'],
    ],
    [
      'an input without what its kind names',
      'POST',
      `${instrument}/calculated-variables`,
      withInput({ kind: 'instrument_variable', source_instrument_id: undefined }),
      ['/calculations/0/inputs/0/source_instrument_id required'],
    ],
    [
      'an input with what its kind has not',
      'POST',
      `${instrument}/calculated-variables`,
      withInput({ kind: 'constant', constant_id: ids.constant, variable_id: null, past_buffer_seconds: 5 }),
      ['/calculations/0/inputs/0/past_buffer_seconds invalid_type'],
    ],
    [
      'an input of no kind',
      'POST',
      `${instrument}/calculated-variables`,
      withInput({ kind: 'x' }),
      ['/calculations/0/inputs/0/kind invalid_choice'],
    ],
    [
      'a constant without values',
      'POST',
      `${instrument}/calibration-constants`,
      { name: 'a', values: [] },
      ['/values out_of_range'],
    ],
  ])('%s', async (_, method, path, body, faults) => {
    const answer = await send(method, path, body);
    expect([answer.status, [...answer.faults].sort()]).toEqual([400, faults]);
    expect(gateway.fakes.asked).toEqual([]);
  });
});

describe('the type of the values of an ingested variable', () => {
  const patch = async (body: object) => {
    gateway.fakes.answers.set('updateIngestedVariable', { variable: ingested });
    gateway.fakes.answers.set('getVariable', { variable: ingested });
    expect((await send('PATCH', `${instrument}/ingested-variables/${ids.variable}`, body)).status).toBe(200);
    return gateway.fakes.asked;
  };

  test('is changed by one who knows whether there are observations', async () => {
    gateway.fakes.observations.set(ingested.variableKey, [[1, 1]]);
    const asked = await patch({ value_type: 'integer' });
    expect(asked).toMatchObject([
      { method: 'getVariable', request: { variableId: ids.variable, variableType: 'ingested', includeArchived: true } },
      { method: 'updateIngestedVariable', request: { hasObservations: true, patch: { valueType: 'integer' } } },
    ]);
    gateway.fakes.observations.delete(ingested.variableKey);
    expect((await patch({ value_type: 'integer' })).at(-1)).toMatchObject({ request: { hasObservations: false } });
  });

  test('is no reason to ask when it is not in the patch', async () => {
    expect((await patch({ unit: 'm' })).map(({ method }) => method)).toEqual(['updateIngestedVariable']);
  });
});

describe('runs of a project', () => {
  test('show recalculations too, newest first and page by page', async () => {
    const { fakes } = gateway;
    const connection = fakes.connectionKey();
    const recalculation = (runId: string) => ({
      runId,
      projectId: fakes.projectId,
      state: 'failed',
      causeKind: 'calibration_constant',
      causeId: ids.constant,
      createdAtUs: 0,
      finishedAtUs: 1,
      errorCode: 'cancelled',
      progress: {
        ...{ rangesTotal: 5, rangesDone: 1, rangesSkipped: 2, instantsTotal: 40, instantsDone: 20 },
        missing: { missing_input: 3, overflow: 1 },
      },
    });
    const point = {
      instrument_timestamp: '2026-01-01T00:00:00Z',
      instrument_name: 'gauge',
      ingested_variables: [{ name: 'level', value: 1 }],
    };
    for (let i = 0; i < 3; i++) {
      fakes.recalculations.push(recalculation(newId()));
      await gateway.call('POST', '/v1/ingest', { key: connection, body: { data: [point, point] } });
    }
    const base = `/dev-api/v1/p/${fakes.projectId}/runs`;
    const seen: { run_id: string; kind: string }[] = [];
    let cursor = '';
    do {
      const { json } = await gateway.call('GET', `${base}?limit=2${cursor}`, { key });
      expect(json.data.items).toHaveLength(json.data.next_cursor === null ? 1 : 2);
      seen.push(...json.data.items);
      cursor = json.data.next_cursor === null ? '' : `&cursor=${json.data.next_cursor}`;
    } while (cursor !== '');
    const all = [...fakes.runs, ...fakes.recalculations].map((run) => run.runId);
    expect(seen.map((run) => run.run_id)).toEqual(all.sort().reverse());
    const last = fakes.recalculations.at(-1)?.runId ?? '';
    const summary = {
      run_id: last,
      kind: 'recalculation',
      state: 'failed',
      error: { code: 'cancelled', message: expect.stringContaining('was cancelled') },
      attempts: 0,
      created_at: '1970-01-01T00:00:00.000Z',
      finished_at: '1970-01-01T00:00:00.000001Z',
      cause: { kind: 'calibration_constant', id: ids.constant },
      progress: {
        ranges: { total: 5, done: 1, skipped: 2 },
        instants: { total: 40, done: 20 },
        missing: { missing_input: 3, overflow: 1 },
      },
    };
    expect(seen.find((run) => run.run_id === last)).toEqual(summary);
    const detail = await gateway.call('GET', `${base}/${last.toUpperCase()}`, { key });
    expect(detail.json.data).toEqual(summary);
    const points = await gateway.call('GET', `${base}/${fakes.runs[0]?.runId}`, { key });
    expect(points.json.data).toMatchObject({ kind: 'ingestion', instrument_name: 'gauge' });
    for (const id of [newId(), 'nonsense'])
      expect((await gateway.call('GET', `${base}/${id}`, { key })).json.error.message).toBe('There is no such run.');
    const queued = await gateway.call('GET', `${base}?state=queued`, { key });
    expect(queued.json.data.items).toHaveLength(6);
    // a connection sees its own alone
    expect((await gateway.call('GET', `/v1/ingest/runs/${last}`, { key: connection })).status).toBe(404);
  });
});
