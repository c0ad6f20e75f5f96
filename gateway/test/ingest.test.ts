import { gzipSync } from 'node:zlib';
import { unavailable } from '@weir/kit/errors';
import { newId, runId } from '@weir/kit/ids';
import { unpackPoints } from '@weir/points';
import { RunState } from '@weir/proto/ingestion';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Call, startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
let key: string;

beforeAll(async () => {
  gateway = await startWithFakes();
});
afterAll(() => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  key = gateway.fakes.connectionKey();
  gateway.fakes.admitted.length = 0;
});

const point = {
  instrument_timestamp: '2026-01-31T12:00:00Z',
  instrument_name: 'gauge',
  ingested_variables: [{ name: 'level', value: 1.5 }],
};
const post = (body: unknown, call: Call = {}) => gateway.call('POST', '/v1/ingest', { key, body, ...call });

describe('POST /v1/ingest', () => {
  test('submits packed points and answers a run for each', async () => {
    const { status, json, headers } = await post(
      { data: [point, { ...point, site_id: newId() }] },
      { headers: { 'Idempotency-Key': 'batch-1', 'X-Request-ID': 'request-1' } },
    );
    expect(status).toBe(200);
    expect(json.request_id).toBe('request-1');
    expect(headers.get('ratelimit-policy')).toBe('"requests";q=10000;w=5');
    const [submission] = gateway.fakes.admitted.flat();
    expect(submission).toMatchObject({
      projectId: gateway.fakes.projectId,
      idempotencyKey: 'batch-1',
      provisioning: 'automatic',
      requestId: 'request-1',
    });
    expect(unpackPoints(submission?.body ?? Buffer.alloc(0)).count).toBe(2);
    const [first] = json.data.runs;
    expect(json.data).toEqual({
      replayed: false,
      runs: [0, 1].map((index) => ({ run_id: runId(first.run_id, index), state: 'queued' })),
    });
  });

  test('answers a replay with present states', async () => {
    const headers = { 'Idempotency-Key': 'again' };
    const first = await post({ data: [point] }, { headers });
    const second = await post({ data: [point] }, { headers });
    expect(second.json.data).toEqual({
      replayed: true,
      runs: [{ run_id: first.json.data.runs[0].run_id, state: 'succeeded' }],
    });
  });

  test('takes the key from X-API-Key, and gzip', async () => {
    const response = await fetch(`${gateway.url}/v1/ingest`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify({ data: [point] })),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  test('refuses the whole request for one bad point, and tells every fault', async () => {
    const bad = { ...point, instrument_timestamp: '2026-01-31T12:00:00', extra: 1 };
    const { status, json, faults } = await post({ data: [point, bad] }, { headers: { 'Idempotency-Key': 'ü b' } });
    expect(status).toBe(400);
    expect(json.error.code).toBe('invalid_request');
    expect(faults).toEqual([
      'header/Idempotency-Key invalid_format',
      '/data/1/extra unknown_field',
      '/data/1/instrument_timestamp invalid_instant',
    ]);
    expect(gateway.fakes.admitted).toEqual([]);
  });

  test('unknown members alone are unknown_field', async () => {
    const { status, json } = await post({ data: [{ ...point, unit: 'm' }] });
    expect([status, json.error.code]).toEqual([400, 'unknown_field']);
  });

  test('a number that overflows is told with its path', async () => {
    const { status, faults } = await post(JSON.stringify({ data: [point] }).replace('1.5', '1e400'));
    expect([status, ...faults]).toEqual([400, '/data/0/ingested_variables/0/value out_of_range']);
  });

  test('a Developer API key, a disabled connection and no key are refused', async () => {
    const developer = gateway.fakes.developerKey(['developer_api.runs.list']);
    const disabled = gateway.fakes.connectionKey({ enabled: false });
    const body = { data: [point] };
    expect((await post(body, { key: developer })).json.error.code).toBe('invalid_credential');
    expect((await post(body, { key: disabled })).json.error.code).toBe('permission_denied');
    const none = await gateway.call('POST', '/v1/ingest', { body });
    expect([none.status, none.json.error.code]).toEqual([401, 'unauthenticated']);
    expect(none.headers.get('www-authenticate')).toContain('Bearer realm="weir"');
  });

  test('many callers share few calls of the service', async () => {
    const answers = await Promise.all(Array.from({ length: 200 }, () => post({ data: [point] })));
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 200));
    expect(new Set(answers.map((answer) => answer.json.data.runs[0].run_id)).size).toBe(200);
    expect(gateway.fakes.admitted.length).toBeLessThan(150);
  });

  test('is 503 while the ingestion service is away', async () => {
    gateway.fakes.failure = unavailable('away', undefined, 7);
    try {
      const { status, json, headers } = await post({ data: [point] });
      expect([status, json.error.code, headers.get('retry-after')]).toEqual([503, 'dependency_unavailable', '7']);
    } finally {
      gateway.fakes.failure = undefined;
    }
  });
});

describe('runs', () => {
  test('a connection pages through its own, newest first', async () => {
    await post({ data: Array.from({ length: 5 }, () => point) });
    const other = gateway.fakes.connectionKey();
    await post({ data: [point] }, { key: other });
    const seen: string[] = [];
    let path = '/v1/ingest/runs?limit=2';
    for (let cursor: string | null = ''; cursor !== null; path = `/v1/ingest/runs?limit=2&cursor=${cursor}`) {
      const { status, json } = await gateway.call('GET', path, { key });
      expect(status).toBe(200);
      expect(json.data.items[0]).toMatchObject({ kind: 'ingestion', state: 'queued', error: null, finished_at: null });
      seen.push(...json.data.items.map((run: { run_id: string }) => run.run_id));
      cursor = json.data.next_cursor;
    }
    expect(seen).toHaveLength(5);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });

  test('a cursor is of one key, operation and set of filters', async () => {
    await post({ data: [point, point] });
    const first = await gateway.call('GET', '/v1/ingest/runs?limit=1&state=queued', { key });
    const cursor = first.json.data.next_cursor;
    const cases: [string, string][] = [
      [`/v1/ingest/runs?limit=1&state=queued&cursor=${cursor}`, key],
      [`/v1/ingest/runs?limit=50&state=queued&cursor=${cursor}`, key],
      [`/v1/ingest/runs?limit=1&cursor=${cursor}`, key],
      [`/v1/ingest/runs?limit=1&state=queued&created_after=2020-01-01T00:00:00Z&cursor=${cursor}`, key],
      [`/v1/ingest/runs?limit=1&state=queued&cursor=${cursor}`, gateway.fakes.connectionKey()],
      [`/v1/ingest/runs?limit=1&state=queued&cursor=${cursor}x`, key],
    ];
    const statuses = [];
    for (const [path, caller] of cases) {
      const { status, json } = await gateway.call('GET', path, { key: caller });
      statuses.push([status, json.error?.code]);
    }
    const refused = [400, 'invalid_cursor'];
    expect(statuses).toEqual([[200, undefined], [200, undefined], refused, refused, refused, refused]);
  });

  test('a project sees all of its own, with the permission', async () => {
    const { json } = await post({ data: [point] });
    const id: string = json.data.runs[0].run_id;
    const base = `/dev-api/v1/p/${gateway.fakes.projectId}/runs`;
    const lister = gateway.fakes.developerKey(['developer_api.runs.list']);
    const reader = gateway.fakes.developerKey(['developer_api.runs.read']);
    const listed = await gateway.call('GET', `${base}?limit=100`, { key: lister });
    expect(listed.json.data.items.map((run: { run_id: string }) => run.run_id)).toContain(id);
    expect((await gateway.call('GET', base, { key: reader })).json.error.code).toBe('permission_denied');
    expect((await gateway.call('GET', `${base}/${id}`, { key: lister })).json.error.code).toBe('permission_denied');
    const stranger = gateway.fakes.developerKey(['developer_api.runs.list'], newId());
    expect((await gateway.call('GET', base, { key: stranger })).json.error.code).toBe('project_scope_mismatch');
  });

  test('a run shows its point and what became of it', async () => {
    const { json } = await post({ data: [point] });
    const id: string = json.data.runs[0].run_id;
    const run = gateway.fakes.runs.find((each) => each.runId === id);
    const error = { code: 'value_type_mismatch', message: 'no' };
    const variableId = newId();
    Object.assign(run ?? {}, {
      state: RunState.PARTIALLY_SUCCEEDED,
      error,
      attempts: 2,
      finishedAtUs: 1_000_001,
      variables: [
        { name: 'level', variableId, outcome: 'superseded' },
        { name: 'flow', outcome: 'failed', error },
      ],
    });
    const answer = await gateway.call('GET', `/v1/ingest/runs/${id.toUpperCase()}`, { key });
    expect(answer.json.data).toEqual({
      run_id: id,
      kind: 'ingestion',
      file_run_id: null,
      state: 'partially_succeeded',
      error,
      attempts: 2,
      created_at: expect.stringMatching(/Z$/),
      finished_at: '1970-01-01T00:00:01.000001Z',
      instrument_name: 'gauge',
      instrument_timestamp: '1970-01-01T00:00:00.000Z',
      variables: [
        { name: 'level', variable_id: variableId, outcome: 'superseded', error: null },
        { name: 'flow', variable_id: null, outcome: 'failed', error },
      ],
    });
    for (const path of [`/v1/ingest/runs/${newId()}`, '/v1/ingest/runs/nonsense']) {
      const missing = await gateway.call('GET', path, { key });
      expect([missing.status, missing.json.error.message]).toEqual([404, 'There is no such run.']);
    }
    const other = await gateway.call('GET', `/v1/ingest/runs/${id}`, { key: gateway.fakes.connectionKey() });
    expect(other.status).toBe(404);
  });

  test('a range that is empty is told with both its ends, and with other faults', async () => {
    const query = 'created_after=2026-01-02T00:00:00Z&created_before=2026-01-01T00:00:00Z';
    const { status, faults } = await gateway.call('GET', `/v1/ingest/runs?${query}&limit=0`, { key });
    expect([status, ...faults]).toEqual([
      400,
      'query/limit out_of_range',
      'query/created_after out_of_range',
      'query/created_before out_of_range',
    ]);
  });
});
