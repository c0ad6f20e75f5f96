import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inRead } from '../src/reads/index.js';
import { openPool, type Pool, sql } from '../src/sql/index.js';
import { createEmptyDatabase, type TestDatabase } from '../src/testing/index.js';

let database: TestDatabase;
let admin: Pool;
beforeAll(async () => {
  database = await createEmptyDatabase();
  admin = openPool({ url: database.url, max: 1 });
});
afterAll(async () => {
  await admin[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const sleep = sql`select pg_sleep(60)`;
const backend = sql`select pg_backend_pid() as pid`;

/** Waits until a backend runs, or no longer runs, what sleeps. */
async function sleeping(expected: boolean): Promise<void> {
  const count = async () =>
    (
      await admin.query(sql`select count(*) as count from pg_stat_activity
        where datname = current_database() and state = 'active' and query = ${sleep.text}`)
    ).rows[0]?.['count'];
  while ((await count()) !== (expected ? 1 : 0)) await delay(5);
}

/** Before the database stands what takes nothing that is not encrypted, as some poolers and load balancers do. */
async function encryptedOnly(url: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const asked = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const args = ['req', '-x509', ...key, '-subj', '/CN=database', '-keyout', '-', '-out', '-'];
  const { stdout: pem } = await promisify(execFile)('openssl', args);
  const target = new URL(url);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      if (!bytes.equals(asked)) return socket.destroy();
      socket.write('S');
      const open = new TLSSocket(socket, { isServer: true, key: pem, cert: pem });
      const behind = connect(Number(target.port || 5432), target.hostname);
      for (const side of [open, behind]) side.on('error', () => undefined);
      open.pipe(behind).pipe(open);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const own = new URL(url);
  own.port = String((server.address() as AddressInfo).port);
  own.searchParams.set('sslmode', 'no-verify');
  return { url: own.href, [Symbol.asyncDispose]: async () => void server.close() };
}

describe('a read', () => {
  test('an abort ends the statement in the database, and the pool goes on with another connection', async () => {
    await using pool = openPool({ url: database.url, max: 1 });
    const abort = new AbortController();
    const { pid } = (await pool.query(backend)).rows[0] ?? {};
    const running = inRead(abort.signal, () => pool.query(sleep));
    const failure = running.catch((error: unknown) => error);
    await sleeping(true);
    abort.abort();
    expect(await failure).toMatchObject({ code: 'dependency_unavailable', cause: { code: '57014' } });
    await sleeping(false);
    expect((await pool.query(backend)).rows[0]?.['pid']).not.toBe(pid);
  });

  test('an abort ends the statement where nothing but what is encrypted comes through', async () => {
    await using proxy = await encryptedOnly(database.url);
    await using pool = openPool({ url: proxy.url, max: 1 });
    const abort = new AbortController();
    const failure = inRead(abort.signal, () => pool.query(sleep)).catch((error: unknown) => error);
    await sleeping(true);
    abort.abort();
    expect(await failure).toMatchObject({ cause: { code: '57014' } });
    await sleeping(false);
  });

  test('what was called off before is not begun, and what ended keeps its connection', async () => {
    await using pool = openPool({ url: database.url, max: 1 });
    const abort = new AbortController();
    const read = () => inRead(abort.signal, () => pool.query(backend));
    const pids = [await read(), await read()].map(({ rows }) => rows[0]?.['pid']);
    expect(pids[0]).toBe(pids[1]);
    abort.abort();
    await expect(read()).rejects.toBe(abort.signal.reason);
    expect((await pool.query(backend)).rows[0]?.['pid']).toBe(pids[0]);
  });

  test('waits for a connection no longer than it is wanted', async () => {
    await using pool = openPool({ url: database.url, max: 1 });
    const abort = new AbortController();
    const held = new AbortController();
    const holding = inRead(held.signal, () => pool.query(sleep));
    await sleeping(true);
    const waiting = inRead(abort.signal, () => pool.query(sleep));
    abort.abort();
    held.abort();
    await expect(holding).rejects.toMatchObject({ code: 'dependency_unavailable' });
    await expect(waiting).rejects.toBe(abort.signal.reason);
    await sleeping(false);
  });
});

describe('a snapshot', () => {
  test('sees one instant of the database, writes nothing and gives its connection back', async () => {
    await admin.query(sql`create table seen (id integer)`);
    await using pool = openPool({ url: database.url, max: 1 });
    {
      await using snapshot = await pool.openSnapshot(new AbortController().signal);
      const count = async () => (await snapshot.query(sql`select count(*) as count from seen`)).rows[0]?.['count'];
      expect(await count()).toBe(0);
      await admin.query(sql`insert into seen (id) values (1)`);
      expect(await count()).toBe(0);
      await expect(snapshot.query(sql`insert into seen (id) values (2)`)).rejects.toMatchObject({
        cause: { code: '25006' },
      });
    }
    expect((await pool.query(sql`select id from seen`)).rows).toEqual([{ id: 1 }]);
  });

  test('an abort ends its statement and refuses further ones', async () => {
    await using pool = openPool({ url: database.url, max: 1 });
    const abort = new AbortController();
    {
      await using snapshot = await pool.openSnapshot(abort.signal);
      const failure = snapshot.query(sleep).catch((error: unknown) => error);
      await sleeping(true);
      abort.abort();
      expect(await failure).toMatchObject({ cause: { code: '57014' } });
      await expect(snapshot.query(backend)).rejects.toBe(abort.signal.reason);
    }
    await pool.query(backend);
  });
});
