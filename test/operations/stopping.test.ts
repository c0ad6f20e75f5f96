import { once } from 'node:events';
import { connect } from 'node:net';
import { isServing } from '@weir/kit/rpc';
import { openPool, sql } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { openFaultStack } from '../harness/fault-stack.js';
import { projectApiOf } from '../harness/project-api.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { checkVolume, sendVolume } from '../harness/volume.js';

/** A connection to a gateway, with all that it was told. */
async function openConnection(url: string, begin: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let told = '';
  socket.on('data', (bytes) => {
    told += bytes.toString();
  });
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').then(() => told);
  socket.write(begin);
  const saw = async (text: string): Promise<void> => {
    while (!told.includes(text)) await Promise.race([once(socket, 'data'), closed]);
  };
  return { socket, closed, saw };
}

test('H19: what is told to stop answers what is in flight, a slow upload and an idle connection included, and exits with 0', async () => {
  await using stack = await openTestStack({ env: { DRAIN_MS: '500' } });
  const tenant = await createTenant(stack.addresses.access);
  const project = projectApiOf(stack.gatewayUrl, tenant);
  const host = `Host: weir\r\nX-API-Key: ${tenant.ingestionKey}\r\n`;
  const idle = await openConnection(stack.gatewayUrl, `GET /livez HTTP/1.1\r\n${host}\r\n`);
  await idle.saw('200 OK');
  const slow = await openConnection(
    stack.gatewayUrl,
    `POST /v1/ingest HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"data":[`,
  );
  const dripping = setInterval(() => slow.socket.write(' '), 200);

  await using database = openPool({ url: stack.databaseUrl, max: 1 });
  let answer: Promise<{ status: number }> | undefined;
  let stopped: Promise<unknown> | undefined;
  const [dashboards, gateway] = [stack.process('dashboards'), stack.process('gateway')];
  await database.transaction(async (tx) => {
    // the call waits for it in the service while that, and the gateway, are told to stop
    await tx.query(sql`lock table dashboards.dashboards in access exclusive mode`);
    answer = project.call('GET', '/dashboards');
    let waiting = 0;
    while (waiting === 0) {
      const { rows } = await tx.query(sql`select count(*) as count from pg_locks where not granted`);
      waiting = Number(rows[0]?.['count']);
    }
    stopped = Promise.all([stack.kill('dashboards', 'SIGTERM'), stack.kill('gateway', 'SIGTERM')]);
    await tx.query(sql`select pg_sleep(3)`);
  });
  expect((await answer)?.status).toBe(200);
  await stopped;
  clearInterval(dripping);
  expect(await Promise.all([dashboards.exited, gateway.exited])).toEqual([
    { code: 0, signal: null },
    { code: 0, signal: null },
  ]);
  expect((await idle.closed).match(/HTTP\/1.1 /g)).toHaveLength(1);
  expect(await slow.closed).toMatch(/^HTTP\/1.1 503 [\s\S]*Retry-After: \d+[\s\S]*"dependency_unavailable"/i);
});

test('H20: while PostgreSQL is away for 30 s nothing restarts, no service is ready, and gateways say so; 5 s after it is back all is', async () => {
  await using faults = await openFaultStack();
  const { stack, servers } = faults;
  const pids = () => stack.processes.map(({ name, pid }) => `${name} ${pid}`);
  const before = pids();
  const tenant = await createTenant(stack.addresses.access);
  const api = apiOf(stack.gatewayUrl, tenant);
  const services = ['access', 'variables', 'dashboards', 'parsers', 'ingestion', 'observations'] as const;
  const areReady = () => Promise.all(services.map((name) => isServing(stack.addresses[name])));
  expect(await areReady()).toEqual(services.map(() => true));
  await servers.kill('postgres');
  const awayMs = performance.now();
  await expect.poll(areReady, { timeout: 20_000 }).toEqual(services.map(() => false));
  for (const path of ['/livez', '/readyz']) expect((await fetch(stack.gatewayUrl + path)).status, path).toBe(200);
  const { status, headers } = await api.request('POST', '/v1/ingest', { json: [] });
  expect(status).toBe(503);
  expect(headers.get('retry-after')).toMatch(/^\d+$/);
  await new Promise((resolve) => setTimeout(resolve, 30_000 - (performance.now() - awayMs)));
  await servers.start('postgres');
  const backMs = performance.now();
  await stack.ready();
  await api.untilServed(`/dev-api/v1/p/${tenant.projectId}/sites`);
  expect(performance.now() - backMs).toBeLessThan(5000);
  expect(pids()).toEqual(before);
});

test('H21: processors that are taken away in mid-run lose nothing', async () => {
  await using stack = await openTestStack({ processors: 4 });
  const takeAway = async (): Promise<void> => {
    for (const name of ['processor-2', 'processor-3', 'processor-4']) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const process = stack.process(name);
      await stack.kill(name, 'SIGTERM');
      expect(await process.exited).toEqual({ code: 0, signal: null });
    }
  };
  const volume = await sendVolume(stack, 100, takeAway());
  await stack.drained();
  await checkVolume(volume);
});
