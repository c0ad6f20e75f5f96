import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { send } from '../history/device.js';
import type { Answer } from '../history/history.js';
import { underLoad } from '../history/under-load.js';
import { isLong, seed } from './seed.js';

/** PostgreSQL is away for as long as it takes to show, or with FAULT_LONG=1 for as long as NATS. */
const outageMs = { nats: 60_000, postgres: isLong ? 60_000 : 8000 } as const;
/** A request that cannot be admitted is refused within this. */
const refusalMsMax = 12_000;
const named = `FAULT_SEED=${seed}`;

let faults: FaultStack;
beforeAll(async () => {
  faults = await openFaultStack({ processors: 2 });
});
afterAll(() => faults?.[Symbol.asyncDispose]());

test(`J3: NATS is away for a minute: ingestion goes on answering 200, and what waited is processed afterwards (${named})`, async () => {
  const verdict = await underLoad(faults, seed + 2, async () => {
    await faults.servers.kill('nats');
    await delay(outageMs.nats);
    expect(await faults.metric('ingestion', 'weir_ingestion_stream_connected')).toBe(0);
    expect(await faults.metric('ingestion', 'weir_ingestion_backlog_runs')).toBeGreaterThan(0);
    await faults.servers.start('nats');
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0, refused: 0, unread: 0, isCounted: true });
  expect(await faults.metric('ingestion', 'weir_ingestion_stream_connected')).toBe(1);
});

test(`J3: PostgreSQL is away: 503 with Retry-After in time, nothing of it appears later (${named})`, async () => {
  const once: Answer[] = [];
  const keys = Array.from({ length: 10 }, (_, at) => `once-${at}`);
  const verdict = await underLoad(faults, seed + 3, async (sending) => {
    await delay(1000);
    await faults.servers.kill('postgres');
    for (const key of keys) {
      once.push(await send(sending, { key, device: 'logger-0', readings: [{ atUs: 0, value: 1 }], answers: [] }));
      await delay(outageMs.postgres / keys.length);
    }
    await faults.servers.start('postgres');
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0 });
  for (const { status, retryAfterS, sentMs, endedMs } of once) {
    expect(status).toBe(503);
    expect(retryAfterS).toBeGreaterThanOrEqual(1);
    expect(endedMs - sentMs).toBeLessThan(refusalMsMax);
  }
  const refused = verdict.history.sent.flatMap(({ answers }) => answers.filter(({ status }) => status !== 200));
  expect(refused.filter(({ status, retryAfterS = 0 }) => status !== 503 || retryAfterS < 1)).toEqual([]);
  const text = "select count(*)::int as count from ingestion.idempotency_keys where key like 'once-%'";
  expect((await faults.database.query({ text, values: [] })).rows).toEqual([{ count: 0 }]);
});

test(`Redis is away: each gateway limits by its share, and nobody is refused for it (${named})`, async () => {
  const verdict = await underLoad(faults, seed + 4, async () => {
    await faults.servers.kill('redis');
    await delay(2000);
    expect(await faults.metric('gateway', 'weir_gateway_limits_degraded')).toBe(1);
    await faults.servers.start('redis');
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0, refused: 0, unread: 0 });
});

/** Messages that were delivered again: only of those is told that an attempt is begun. */
const deliveredAgain = (): Promise<number> =>
  faults.metric('ingestion', 'rpc_server_call_duration_seconds_count', /BeginAttempts/);

test(`J5, I5: a processor is frozen beyond its lease and goes on: both finish, with one effect, which is counted once (${named})`, async () => {
  let before = Number.NaN;
  const verdict = await underLoad(faults, seed + 5, async () => {
    before = await deliveredAgain();
    for (let freeze = 0; freeze < 3; freeze++) {
      const { pid } = faults.stack.process('processor-1');
      process.kill(pid, 'SIGSTOP');
      await delay(4500);
      process.kill(pid, 'SIGCONT');
      await delay(1000);
    }
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0, refused: 0, unread: 0, isCounted: true });
  // it had something in hand, which others were given
  expect(await deliveredAgain()).toBeGreaterThan(before);
});

test(`J9: the stream is full: ingestion goes on, the refusals are counted, the sweeper brings them back (${named})`, async () => {
  const before = await faults.metric('ingestion', 'weir_ingestion_batches_publish_failed_total');
  const verdict = await underLoad(faults, seed + 6, async () => {
    await faults.withFullStream(() => delay(3000));
    expect(await faults.metric('ingestion', 'weir_ingestion_batches_publish_failed_total')).toBeGreaterThan(before);
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0, refused: 0, unread: 0 });
});
