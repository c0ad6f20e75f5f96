import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { openPool, type Pool, sql } from '@weir/kit/sql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf } from '../harness/api.js';
import { type BulkVariable, createBulkVariable } from '../harness/bulk.js';
import { instantAt, reading } from '../harness/points.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

/** A large one is tried by hand: `EXPORT_ROWS=10000000 ./dev test e2e -- export -t memory`. */
const many = Number(process.env['EXPORT_ROWS'] ?? 200_000);
const patienceMs = 120_000 + many / 10;
const memoryMax = 200 * 1024 * 1024;

let stack: TestStack;
let tenant: Tenant;
let api: Api;
let admin: Pool;
let long: BulkVariable;

beforeAll(async () => {
  stack = await openTestStack({ envOf: { observations: { STATEMENT_TIMEOUT_MS: '3000' } } });
  tenant = await createTenant(stack.addresses.access);
  api = apiOf(stack.gatewayUrl, tenant);
  admin = openPool({ url: stack.databaseUrl, max: 2 });
  long = await createBulkVariable({ api, admin, drained: stack.drained }, '=cmd|gauge', many);
}, patienceMs);
afterAll(async () => {
  await admin?.[Symbol.asyncDispose]();
  await stack?.[Symbol.asyncDispose]();
});

const pathOf = (path: string) => `/dev-api/v1/p/${tenant.projectId}/observations${path}`;
const headers = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${tenant.developerKey}`, ...more });
const download = (query: string, more: Record<string, string> = {}) =>
  fetch(`${stack.gatewayUrl}${pathOf('/export')}?variable_id=${long.variableId}${query}`, { headers: headers(more) });

/** Sessions of the query service that hold a snapshot or run a statement: those alone ask of a project's series. */
async function busySessions(): Promise<string[]> {
  const { rows } = await admin.query(sql`
    select state from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
      and query like '%observations.series%project_id%'`);
  return rows.map((row) => String(row['state']));
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

/** Runs `work` while nobody can read or write observations. */
async function whileLocked<T>(work: () => Promise<T>): Promise<T> {
  return await admin.transaction(async (tx) => {
    await tx.query(sql`lock table observations.observations in access exclusive mode`);
    return await work();
  });
}

describe('an export', () => {
  test(
    'is every observation, in CSV, in memory that does not grow with it',
    async () => {
      const answer = await download('');
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
      expect(answer.headers.get('content-disposition')).toBe('attachment; filename="observations.csv"');
      const lines = createInterface({ input: Readable.fromWeb(answer.body as never), crlfDelay: Infinity });
      let second = -1;
      for await (const line of lines) {
        const expected =
          second < 0
            ? 'timestamp,variable_id,variable_name,unit,value'
            : `${instantAt(second)},${long.variableId},level,,${second}`;
        if (line !== expected) expect(line).toBe(expected);
        second++;
      }
      expect(second).toBe(many);
      expect(await stack.residentBytesMax('gateway')).toBeLessThan(memoryMax);
      expect(await stack.residentBytesMax('observations')).toBeLessThan(memoryMax);
    },
    patienceMs,
  );

  test('is objects for whoever asks for them, of a range and in an order', async () => {
    const range = `&start=${instantAt(10)}&end=${instantAt(13)}&order=desc`;
    const answer = await download(range, { accept: 'application/x-ndjson' });
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = (await answer.text()).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      [12, 11, 10].map((second) => ({
        timestamp: instantAt(second),
        variable_id: long.variableId,
        variable_name: 'level',
        unit: null,
        value: second,
      })),
    );
  });

  test('waits for a reader that stalls, and ends with one that leaves', async () => {
    const request = get(`${stack.gatewayUrl}${pathOf('/export')}?variable_id=${long.variableId}`, {
      headers: headers({ 'accept-encoding': 'identity' }),
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    response.pause();
    const before = await stack.residentBytesMax('observations');
    // nothing is asked of the database any more, again and again
    for (let quiet = 0; quiet < 10; ) {
      quiet = (await busySessions()).includes('active') ? 0 : quiet + 1;
      await delay(20);
    }
    expect(await busySessions()).toEqual(['idle in transaction']);
    expect((await stack.residentBytesMax('observations')) - before).toBeLessThan(32 * 1024 * 1024);
    response.destroy();
    await until(async () => (await busySessions()).length === 0);
  });

  test('needs its own permission, and is refused beyond the number at a time', async () => {
    const reader = await createTenant(stack.addresses.access, { permissions: ['developer_api.observations.read'] });
    const refused = await fetch(
      `${stack.gatewayUrl}/dev-api/v1/p/${reader.projectId}/observations/export?variable_id=x`,
      { headers: { authorization: `Bearer ${reader.developerKey}` } },
    );
    expect(refused.status).toBe(403);
    const held = await Promise.all([download(''), download('')]);
    const third = await download('');
    expect([third.status, ((await third.json()) as { error: { code: string } }).error.code]).toEqual([
      429,
      'concurrency_limited',
    ]);
    for (const answer of held) await answer.body?.cancel();
    await until(async () => (await busySessions()).length === 0);
  });
});

describe('a query', () => {
  const paths = () => [
    pathOf(`?variable_id=${long.variableId}`),
    pathOf(`?variable_id=${long.variableId}&interval=PT1H&start=${instantAt(0)}&end=${instantAt(many)}`),
    pathOf(`/latest?variable_id=${long.variableId}`),
    pathOf(`/export?variable_id=${long.variableId}`),
  ];

  test('whose caller leaves is cancelled in the database, through every hop', async () => {
    await whileLocked(async () => {
      for (const path of paths()) {
        const abort = new AbortController();
        const answer = fetch(stack.gatewayUrl + path, { headers: headers(), signal: abort.signal });
        const failed = answer.then(
          () => false,
          () => true,
        );
        await until(async () => (await busySessions()).includes('active'));
        const leftAt = performance.now();
        abort.abort();
        expect([path, await failed]).toEqual([path, true]);
        await until(async () => (await busySessions()).length === 0);
        expect(performance.now() - leftAt).toBeLessThan(1000);
      }
    });
  });

  test('that takes too long says so, and what to do', async () => {
    await whileLocked(async () => {
      const answers = await Promise.all(paths().map((path) => api.request('GET', path)));
      for (const { status, body } of answers) {
        const { error } = body as { error: { code: string; message: string } };
        expect([status, error.code]).toEqual([429, 'query_too_large']);
        expect(error.message).toContain('shorter range');
      }
    });
  });
});

test('a client that follows change marks has late and corrected data, and nothing twice', async () => {
  interface Changes {
    readonly data: {
      readonly items: readonly {
        readonly changed_ranges?: readonly { readonly start: string; readonly end: string }[];
        readonly timestamps: readonly string[];
        readonly values: readonly number[];
      }[];
      readonly change_mark: string;
    };
  }
  const follow = async (mark: string, variableId: string) =>
    (await api.request<Changes>('GET', pathOf(`?variable_id=${variableId}${mark}`))).body.data;
  const { runs } = await api.ingest([reading('followed', 100, 1), reading('followed', 200, 2)]);
  await stack.drained();
  const variableId = (await api.run(runs[0]?.run_id ?? '')).variables[0]?.variable_id ?? '';
  const first = await follow('', variableId);
  await api.ingest([reading('followed', 50, 0.5)]);
  await stack.drained();
  await api.ingest([reading('followed', 200, 22)]);
  await stack.drained();
  const changed = await follow(`&changed_since=${first.change_mark}`, variableId);
  const range = (second: number) => ({
    start: instantAt(second),
    end: instantAt(second).replace('000Z', '000001Z'),
  });
  expect(changed.items[0]).toMatchObject({
    changed_ranges: [range(50), range(200)],
    timestamps: [instantAt(50), instantAt(200)],
    values: [0.5, 22],
  });
  const after = await follow(`&changed_since=${changed.change_mark}`, variableId);
  expect(after.items[0]).toMatchObject({ changed_ranges: [], timestamps: [] });
});
