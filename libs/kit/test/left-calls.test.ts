import { setTimeout as delay } from 'node:timers/promises';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { expect, test, vi } from 'vitest';
import { createLogger } from '../src/log/index.js';
import { connect, served, startRpcServer } from '../src/rpc/index.js';
import { openPool, sql } from '../src/sql/index.js';
import { createEmptyDatabase } from '../src/testing/index.js';

/** Longer than a statement that nobody waits for may go on. */
const sleepS = 1.5;

/** A service each of whose methods runs one statement that takes long, and a client of it. */
async function start() {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await createEmptyDatabase());
  const admin = opening.use(openPool({ url: database.url, max: 1 }));
  const pool = opening.use(openPool({ url: database.url, max: 1 }));
  const ended: string[] = [];
  const log = createLogger('test', 'silent');
  const warned = vi.spyOn(log, 'warn');
  const method = async () => {
    await pool.query(sql`select pg_sleep(${sleepS})`).then(
      () => ended.push('by itself'),
      (error: unknown) => {
        ended.push('with its caller');
        throw error;
      },
    );
    return {};
  };
  const server = opening.use(
    await startRpcServer({
      listenAddress: '127.0.0.1:0',
      services: [served(IngestionServiceDefinition, new Proxy({}, { get: () => method }) as never)],
      isReady: async () => {},
      log,
      drainMs: 0,
    }),
  );
  const client = opening.use(connect(IngestionServiceDefinition, server.address));
  const begun = async (): Promise<void> => {
    const count = sql`select from pg_stat_activity where state = 'active' and wait_event = 'PgSleep'
      and datname = current_database()`;
    while ((await admin.query(count)).rows.length === 0) await delay(5);
  };
  const opened = opening.move();
  return { client, begun, ended, warned, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

test.each([
  ['that only reads', 'getQueue', 'with its caller'],
  ['that may be repeated', 'retryRuns', 'by itself'],
  ['of any other kind', 'beginAttempts', 'by itself'],
] as const)('the statement of a call %s, whose caller goes away, ends as it should', async (_, name, end) => {
  await using it = await start();
  const caller = new AbortController();
  const call = it.client[name]({}, { signal: caller.signal }).catch(() => undefined);
  await it.begun();
  const leftMs = performance.now();
  caller.abort();
  await call;
  while (it.ended.length === 0) await delay(5);
  expect(it.ended).toEqual([end]);
  expect(it.warned).not.toHaveBeenCalled();
  expect(performance.now() - leftMs < 1000).toBe(end === 'with its caller');
});
