import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import fixture from '../fixtures/toa5-hourly.points.json' with { type: 'json' };
import { type Api, apiOf, type Point } from '../harness/api.js';
import { instantAt, reading, shuffled } from '../harness/points.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

let stack: TestStack;
let tenant: Tenant;
let api: Api;

beforeAll(async () => {
  stack = await openTestStack();
  tenant = await createTenant(stack.addresses.access);
  api = apiOf(stack.gatewayUrl, tenant);
});
afterAll(() => stack?.[Symbol.asyncDispose]());

/** The variables that a run wrote, by name. */
async function variablesOf(runId: string): Promise<Record<string, string>> {
  const run = await api.run(runId);
  return Object.fromEntries(run.variables.map(({ name, variable_id }) => [name, variable_id ?? '']));
}

describe('readings of a real logger', () => {
  test('come back as exactly the observations that were posted', async () => {
    const points: readonly Point[] = fixture;
    const { runs } = await api.ingest(points);
    await stack.drained();
    const ids: Record<string, string> = {};
    for (const { run_id } of runs) Object.assign(ids, await variablesOf(run_id));
    const expected = new Map<string, [string, number][]>();
    for (const point of points) {
      for (const { name, value } of point.ingested_variables) {
        expected.set(name, [...(expected.get(name) ?? []), [point.instrument_timestamp, value]]);
      }
    }
    expect(Object.keys(ids).sort()).toEqual([...expected.keys()].sort());
    for (const [name, rows] of expected) {
      const series = await api.observations(ids[name] ?? '', 3);
      expect(series.timestamps.map((t, i) => [t, series.values[i]])).toEqual(rows);
    }
    const latest = await api.request<{ data: { items: { timestamp: string; value: number }[] } }>(
      'GET',
      `/dev-api/v1/p/${tenant.projectId}/observations/latest?variable_id=${ids['BattV']}`,
    );
    expect(latest.body.data.items).toMatchObject([{ timestamp: '2023-03-04T18:00:00.000Z', value: 13.11 }]);
  });
});

describe('Idempotency-Key', () => {
  test('two hundred concurrent requests with one key make one set of runs', async () => {
    const points = [reading('idempotent', 0, 1), reading('idempotent', 1, 2)];
    const answers = await Promise.all(Array.from({ length: 200 }, () => api.ingest(points, 'one-key')));
    expect(answers.filter((answer) => !answer.replayed)).toHaveLength(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer.runs.map((run) => run.run_id)))).size).toBe(1);
    await stack.drained();
    const replay = await api.ingest([reading('another body', 0, 5)], 'one-key');
    expect(replay.replayed).toBe(true);
    expect(replay.runs.map((run) => run.state)).toEqual(['succeeded', 'succeeded']);
  });

  test('without a key, every request is new', async () => {
    const post = () =>
      api.request<{ data: { runs: { run_id: string }[] } }>('POST', '/v1/ingest', {
        json: { data: [reading('new', 0, 1)] },
      });
    const [first, second] = [await post(), await post()];
    expect(first.body.data.runs[0]?.run_id).not.toBe(second.body.data.runs[0]?.run_id);
  });
});

describe('points for the same variable and instant', () => {
  test('the last admitted stands, whatever the order and the number of requests', async () => {
    const seconds = Array.from({ length: 50 }, (_, i) => i);
    const last = new Map<number, number>();
    let value = 0;
    let runId = '';
    for (let round = 0; round < 20; round++) {
      const points = shuffled([...seconds, ...seconds], round).map((second) => {
        last.set(second, ++value);
        return reading('contested', second, value);
      });
      const { runs } = await api.ingest(points);
      runId = runs.at(-1)?.run_id ?? '';
    }
    await stack.drained();
    const { level } = await variablesOf(runId);
    const series = await api.observations(level ?? '');
    expect(series.timestamps).toEqual(seconds.map(instantAt));
    expect(series.values).toEqual(seconds.map((second) => last.get(second)));
  });

  test('a loser within a request succeeds and says superseded', async () => {
    const { runs } = await api.ingest([reading('twice', 0, 1), reading('twice', 0, 2)]);
    await stack.drained();
    const [loser, winner] = await Promise.all(runs.map((run) => api.run(run.run_id)));
    expect(loser).toMatchObject({ state: 'succeeded', variables: [{ outcome: 'superseded' }] });
    expect(winner).toMatchObject({ state: 'succeeded', variables: [{ outcome: 'stored' }] });
  });
});

describe('what only the catalog can tell', () => {
  test('is the outcome of the run, and an operator can have it tried again', async () => {
    const strict = await createTenant(stack.addresses.access, { provisioning: 'strict' });
    const strictApi = apiOf(stack.gatewayUrl, strict);
    const { runs } = await strictApi.ingest([
      reading('unknown', 0, 1),
      { ...reading('unknown', 1, 1), site_id: 'nowhere' },
      { ...reading('unknown', 2, 1), instrument_timestamp: '1600-01-01T00:00:00Z' },
    ]);
    await stack.drained();
    const details = await Promise.all(runs.map((run) => strictApi.run(run.run_id)));
    expect(details.map((run) => run.state)).toEqual(['failed', 'failed', 'failed']);
    expect(details[0]?.error?.code).toBe('instrument_not_found');
    expect(details[1]?.error?.code).toBe('site_not_found');
    expect(['instrument_not_found', 'timestamp_out_of_range']).toContain(details[2]?.error?.code);
  });

  test('an instant outside 1700 to 2250, or far in the future, fails', async () => {
    const { runs } = await api.ingest([
      { ...reading('odd', 0, 1), instrument_timestamp: '1699-12-31T23:59:59.999Z' },
      { ...reading('odd', 0, 1), instrument_timestamp: new Date(Date.now() + 3 * 86_400_000).toISOString() },
      reading('odd', 0, 1),
    ]);
    await stack.drained();
    const details = await Promise.all(runs.map((run) => api.run(run.run_id)));
    expect(details.map((run) => run.error?.code)).toEqual([
      'timestamp_out_of_range',
      'timestamp_out_of_range',
      undefined,
    ]);
  });

  test('a bad point rejects the whole request and creates nothing', async () => {
    const answer = await api.request<{ error: { code: string; details: { path: string }[] } }>('POST', '/v1/ingest', {
      json: { data: [reading('good', 0, 1), { ...reading('bad', 1, 1), instrument_timestamp: '2026-01-01' }] },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('invalid_request');
    expect(answer.body.error.details.map((detail) => detail.path)).toEqual(['/data/1/instrument_timestamp']);
  });
});
