import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@weir/kit/sql';
import { startTcpProxy } from '@weir/kit/testing';
import { servingProcesses } from '@weir/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { nothing, testPlanted, whileReading } from '../faults/planted.js';
import { apiOf } from '../harness/api.js';
import { type FaultStack, openFaultStack, sweepMs } from '../harness/fault-stack.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { reading } from '../harness/points.js';
import { readPaths, services, tables } from '../harness/service-reads.js';
import { createTenant } from '../harness/tenant.js';
import { underLoad } from '../history/under-load.js';
import { choicesOf } from '../model/choices.js';

/** A seed decides what is sent, and who is killed when; FAULT_SEED names one to try again. */
const seed = Number(process.env['FAULT_SEED'] ?? 1);

/** The default of INGEST_BODY_BYTES_MAX. */
const bodyBytesMax = 16 * 1024 * 1024;
/** So many answers are cut off at a time. */
const cutters = 4;
/** What the stream lost is processed within it: the sweeper takes it for lost, and looks for it. */
const recoveryMsMax = sweepMs.after + sweepMs.interval + 10_000;
const processes = [...servingProcesses, 'processor-1', 'processor-2'];

let planting: Planting;
let faults: FaultStack;
beforeAll(async () => {
  planting = openPlanting();
  const { envOf } = planting;
  // a backend of PostgreSQL tells which service waits there
  const names = services.map((name) => [name, { ...envOf[name], PGAPPNAME: name }]);
  faults = await openFaultStack({ processors: 2, envOf: { ...envOf, ...Object.fromEntries(names) } });
});
afterAll(async () => {
  await faults?.[Symbol.asyncDispose]();
  planting[Symbol.dispose]();
});

test('J1: any process and any server is killed under load, and nothing is lost, twice or wrong', async () => {
  const { stack, servers } = faults;
  const choices = choicesOf(seed);
  const kills: (readonly [string, () => Promise<unknown>])[] = [
    ...processes.map((name) => [name, () => stack.kill(name).then(() => stack.restart(name))] as const),
    ...(['nats', 'redis', 'postgres'] as const).map(
      (name) => [name, () => servers.kill(name).then(() => servers.start(name))] as const,
    ),
  ];
  const verdict = await underLoad(faults, seed, async () => {
    for (const [, kill] of choices.shuffled(kills)) {
      await delay(choices.between(100, 900));
      await kill();
    }
  });
  expect(verdict.violations, `FAULT_SEED=${seed}`).toEqual([]);
  expect(verdict).toMatchObject({ failed: 0 });
  expect(verdict.acknowledged).toBeGreaterThan(0);
  expect(verdict.read).toBeGreaterThan(0);
});

test('J7: an answer that is cut off at any byte, and asked for again, names the same runs', async () => {
  const { gatewayUrl, addresses } = faults.stack;
  const { ingestionKey } = await createTenant(addresses.access);
  const post = async (url: string, key: string) => {
    const answer = await fetch(new URL('/v1/ingest', url), {
      method: 'POST',
      headers: { 'x-api-key': ingestionKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ data: [reading('cut', 0, 1), reading('cut', 1, 2)] }),
    });
    return { text: await answer.text(), headers: answer.headers };
  };
  const runsOf = (text: string): unknown => JSON.parse(text).data.runs.map((run: { run_id: string }) => run.run_id);
  const { text, headers } = await post(gatewayUrl, 'whole');
  // the head of an answer is a status line, and its headers on lines of their own
  const bytes = text.length + [...headers].reduce((sum, [name, value]) => sum + name.length + value.length + 4, 19);
  const cut: number[] = [];
  const cutEach = async (first: number): Promise<void> => {
    await using proxy = await startTcpProxy(new URL(gatewayUrl).host);
    for (let byte = first; byte < bytes + 20; byte += cutters) {
      proxy.begin({ kind: 'reset-after', bytes: byte });
      const told = await post(`http://${proxy.address}`, `cut-${byte}`).catch(() => undefined);
      const again = await post(gatewayUrl, `cut-${byte}`);
      expect(JSON.parse(again.text).data).toMatchObject({ replayed: true });
      if (told === undefined) cut.push(byte);
      else expect(runsOf(again.text)).toEqual(runsOf(told.text));
    }
  };
  await Promise.all(Array.from({ length: cutters }, (_, first) => cutEach(first)));
  // headers that count may be a few digits shorter or longer
  const surely = Array.from({ length: bytes - 20 }, (_, byte) => byte);
  expect(cut).toEqual(expect.arrayContaining(surely));
});

test('G5: the largest legal batch goes through all of Weir, one byte more is refused at the door', async () => {
  const { gatewayUrl, addresses } = faults.stack;
  const tenant = await createTenant(addresses.access);
  const api = apiOf(gatewayUrl, tenant);
  // so many that their message is larger than NATS takes, and goes without them
  const names = Array.from({ length: 200 }, (_, at) => `a variable with a name of its own, number ${at}`);
  const points = Array.from({ length: 1000 }, (_, second) => ({
    ...reading('large', second, 0),
    // none of the values over which a planted bug would stumble
    ingested_variables: names.map((name, at) => ({ name, value: second + at / 10_000 })),
  }));
  const body = JSON.stringify({ data: points });
  const post = (text: string) =>
    fetch(new URL('/v1/ingest', gatewayUrl), {
      method: 'POST',
      headers: { 'x-api-key': tenant.ingestionKey, 'content-type': 'application/json' },
      body: text,
    });
  const largest = body.padEnd(bodyBytesMax);
  const accepted = await post(largest);
  expect(accepted.status).toBe(200);
  const refused = await post(`${largest} `);
  expect([refused.status, await refused.json()]).toMatchObject([413, { error: { code: 'body_too_large' } }]);
  await faults.settled();
  const { data } = (await accepted.json()) as { data: { runs: { run_id: string }[] } };
  const { variables } = await api.run(data.runs[0]?.run_id ?? '');
  expect((await api.observations(variables[0]?.variable_id ?? '')).values).toHaveLength(1000);
});

test.each(services)('G8: what %s reads for a client that goes away is ended in the database', async (service) => {
  const { stack, database } = faults;
  const tenant = await createTenant(stack.addresses.access);
  const path = (await readPaths(faults, tenant))[service];
  const headers = { authorization: `Bearer ${tenant.developerKey}` };
  // uses of keys are written now and then
  const reading = sql`select from pg_stat_activity
    where application_name = ${service} and wait_event_type = 'Lock' and query not like 'update %'`;
  const until = async (isWaiting: boolean): Promise<void> => {
    while ((await database.query(reading)).rows.length > 0 !== isWaiting) await delay(10);
  };
  const client = new AbortController();
  await database.transaction(async (tx) => {
    await tx.query({ text: `lock table ${tables[service]} in access exclusive mode`, values: [] });
    const read = fetch(new URL(path, stack.gatewayUrl), { headers, signal: client.signal }).catch(() => undefined);
    await until(true);
    const leftMs = performance.now();
    client.abort();
    await read;
    await until(false);
    // it would wait ten seconds and more, until it is told that it took too long
    expect(performance.now() - leftMs).toBeLessThan(1000);
  });
});

/** Waits until all that is queued now is processed. @returns how long that took, in milliseconds */
async function recovered(): Promise<number> {
  const { database } = faults;
  const beganMs = performance.now();
  const { rows } = await database.query(sql`select max(batch_id)::text as last from ingestion.queue`);
  const last = String(rows[0]?.['last']);
  expect(last, 'the last batch that waits').toMatch(/^[0-9]+$/);
  const left = sql`select from ingestion.queue where batch_id <= ${last}::bigint limit 1`;
  while ((await database.query(left)).rows.length > 0) await delay(20);
  return performance.now() - beganMs;
}

test('J2: the JetStream store is wiped under load, and then its messages are purged; the sweeper brings everything back', async () => {
  const { servers } = faults;
  const tookMs: number[] = [];
  const verdict = await underLoad(faults, seed, async () => {
    await delay(1000);
    await servers.kill('nats');
    await rm(join(servers.directory, 'nats'), { recursive: true });
    await delay(500);
    await servers.start('nats');
    tookMs.push(await recovered());
    await faults.loseMessages();
    tookMs.push(await recovered());
  });
  expect(verdict.violations, `FAULT_SEED=${seed}`).toEqual([]);
  expect(verdict).toMatchObject({ failed: 0, refused: 0, unread: 0 });
  expect(Math.max(...tookMs)).toBeLessThan(recoveryMsMax);
});

// so that it is known of each run that it would tell; test/faults/planted-faults.test.ts has those that take longer
testPlanted(
  [
    {
      bug: 'admit-twice',
      while: 'requests are repeated',
      nemesis: nothing,
      tells: /^I2: key .* was admitted 2 times$/,
    },
    { bug: 'lose-a-point', while: 'nothing happens', nemesis: nothing, tells: /^I3: logger-. at .* is lost, not/ },
    {
      bug: 'short-page',
      while: 'series are read',
      nemesis: whileReading,
      isMeanwhile: true,
      tells: /^I6: page of logger-. .* lacks .*, which was stored before$/,
    },
  ],
  () => ({ planting, faults }),
);
