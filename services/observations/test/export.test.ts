import { setTimeout as delay } from 'node:timers/promises';
import type { StartedService } from '@weir/kit/lifecycle';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { openPool, type Pool, sql } from '@weir/kit/sql';
import type { TestDatabase } from '@weir/kit/testing';
import { ExportFormat, ObservationsServiceDefinition } from '@weir/proto/observations';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectId } from './test-points.js';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

const otherProjectId = '01920000-0000-7000-8000-00000000b000';
/** More than two chunks, and more than the buffers between a service and its caller hold. */
const many = 100_000;

let database: TestDatabase;
let admin: Pool;
let query: StartedService;
let client: RpcClient<typeof ObservationsServiceDefinition>;

/** Makes a series with an observation a second, its number as value. */
async function store(variableKey: number, project: string, count: number): Promise<void> {
  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation)
    values (${variableKey}, ${project}, ${project}, 1)`);
  await admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
    select ${variableKey}::bigint, timestamptz '2025-12-31 23:00:00Z' + number * interval '1 second', number, 1
    from generate_series(0, ${count - 1}::int) as number`);
}

beforeAll(async () => {
  database = await testDatabase();
  admin = openPool({ url: database.url, max: 2 });
  query = await startTestQuery(database.url, { exportsMax: 3 });
  client = connect(ObservationsServiceDefinition, query.address, { forStreams: true });
  await store(1, projectId, many);
  await store(2, projectId, 3);
  await store(3, projectId, 8192);
  await store(9, otherProjectId, 3);
  await store(10, otherProjectId, many);
});
afterAll(async () => {
  client[Symbol.dispose]();
  await query[Symbol.asyncDispose]();
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const startUs = Date.UTC(2025, 11, 31, 23) * 1000;
const ask = (...keys: number[]) => ({
  projectId,
  series: keys.map((variableKey) => ({ variableKey, variableId: `id${variableKey}`, variableName: 'n' })),
  format: ExportFormat.CSV,
});

async function linesOf(pieces: AsyncIterable<{ text: Buffer }>): Promise<string[]> {
  const parts: Buffer[] = [];
  for await (const { text } of pieces) parts.push(text);
  const lines = Buffer.concat(parts).toString().split('\r\n');
  expect(lines.pop()).toBe('');
  expect(lines.shift()).toBe('timestamp,variable_id,variable_name,unit,value');
  return lines;
}

/** The lines of the observations with these numbers. */
const linesFor = (key: number, numbers: readonly number[]) =>
  numbers.map((number) => `${new Date(startUs / 1000 + number * 1000).toISOString()},id${key},n,,${number}`);
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

/** What the sessions of exports are at. */
async function sessions(): Promise<{ state: string; age: number }[]> {
  const { rows } = await admin.query(sql`
    select state, extract(epoch from clock_timestamp() - state_change) as age from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`);
  return rows as { state: string; age: number }[];
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await delay(10);
}

describe('exportObservations', () => {
  test('gives every observation once, series by series, whatever falls on the end of a chunk', async () => {
    const lines = await linesOf(client.exportObservations(ask(2, 9, 1, 3, 77)));
    expect(lines).toEqual([...linesFor(2, [0, 1, 2]), ...linesFor(1, range(0, many)), ...linesFor(3, range(0, 8192))]);
  });

  test('has a range, and two orders', async () => {
    const bounds = { startUs: startUs + 1_000_000, endUs: startUs + 20_000_000_000 };
    expect(await linesOf(client.exportObservations({ ...ask(1), ...bounds }))).toEqual(linesFor(1, range(1, 20_000)));
    const descending = client.exportObservations({ ...ask(1, 2), ...bounds, descending: true });
    expect(await linesOf(descending)).toEqual([...linesFor(1, range(1, 20_000).reverse()), ...linesFor(2, [2, 1])]);
  });

  test('gives objects when asked for, and nothing where there is nothing', async () => {
    let text = '';
    const ndjson = { format: ExportFormat.NDJSON };
    for await (const piece of client.exportObservations({ ...ask(2), ...ndjson })) text += piece.text;
    expect(JSON.parse(text.split('\n')[1] ?? '')).toMatchObject({ variable_id: 'id2', unit: null, value: 1 });
    for await (const piece of client.exportObservations({ ...ask(9), ...ndjson })) expect(piece.text).toHaveLength(0);
    expect(await linesOf(client.exportObservations(ask(9)))).toEqual([]);
  });

  test('sees one instant of the database, however long it takes', async () => {
    const pieces = client.exportObservations(ask(1))[Symbol.asyncIterator]();
    const first = await pieces.next();
    await admin.query(sql`delete from observations.observations where variable_key = 1 and value > 50000`);
    const rest = { [Symbol.asyncIterator]: () => pieces };
    const lines = await linesOf(
      (async function* () {
        yield first.value as { text: Buffer };
        yield* rest;
      })(),
    );
    expect(lines).toHaveLength(many);
    expect(await linesOf(client.exportObservations(ask(1)))).toHaveLength(50_001);
  });

  test('a reader that stops taking stops the query, and one that leaves ends it', async () => {
    const pieces = client.exportObservations(ask(1))[Symbol.asyncIterator]();
    await pieces.next();
    // idle for longer than a statement takes: it waits for the reader
    await until(async () => (await sessions()).some(({ state, age }) => state === 'idle in transaction' && age > 0.3));
    await pieces.return?.();
    await until(async () => (await sessions()).length === 0);
  });

  test('one that leaves in the middle of a statement ends that too', async () => {
    const blocked = await admin.transaction(async (tx) => {
      await tx.query(sql`lock table observations.observations in access exclusive mode`);
      const abort = new AbortController();
      const pieces = client.exportObservations(ask(1), { signal: abort.signal })[Symbol.asyncIterator]();
      const first = pieces.next().then(
        () => undefined,
        (error: unknown) => error,
      );
      // not in the transaction, which sees the sessions as they were at its first look
      const waiting = async () =>
        (
          await admin.query(sql`select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock' and state = 'active'`)
        ).rowCount;
      await until(async () => (await waiting()) === 1);
      abort.abort();
      expect(await first).toBeDefined();
      await until(async () => (await waiting()) === 0);
      return true;
    });
    expect(blocked).toBe(true);
  });

  test('more than may be at once are refused at once, a project has no more than half of the places, and none is lost', async () => {
    const refused = { code: 'concurrency_limited', retryAfterSeconds: 5 };
    const [one, other] = [1, 1].map((key) => client.exportObservations(ask(key))[Symbol.asyncIterator]());
    await one?.next();
    await other?.next();
    await expect(linesOf(client.exportObservations(ask(2)))).rejects.toMatchObject(refused);
    const foreign = { ...ask(10), projectId: otherProjectId };
    const third = client.exportObservations(foreign)[Symbol.asyncIterator]();
    await third.next();
    await expect(linesOf(client.exportObservations(foreign))).rejects.toMatchObject(refused);
    await third.return?.();
    await one?.return?.();
    await until(async () =>
      linesOf(client.exportObservations(ask(2))).then(
        (lines) => lines.length === 3,
        () => false,
      ),
    );
    await other?.return?.();
  });

  test('one that takes too long fails, and does not end as if it were whole', async () => {
    const pieces = client.exportObservations(ask(1), { timeoutMs: 300 });
    const slow = (async () => {
      for await (const _ of pieces) await delay(50);
    })();
    await expect(slow).rejects.toMatchObject({ code: 'dependency_unavailable' });
  });
});
