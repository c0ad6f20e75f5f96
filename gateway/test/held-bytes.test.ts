import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { operation } from '../src/http/operation.js';
import { callMachine, things } from './call-machine.js';
import { operations, startMachine } from './start-machine.js';
import { waiting } from './waiting-operation.js';

const ingest = { key: 'ing', headers: { 'content-type': 'application/json' } };
const bodyBytes = 900_000;
const body = JSON.stringify({ data: ['x'.repeat(bodyBytes)] });

/** Sends bytes on a connection that reads no answer. */
async function send(port: number, bytes: string) {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(bytes);
  return {
    async [Symbol.asyncDispose]() {
      socket.destroy();
    },
    socket,
  };
}

/** A body of which the end does not come. */
const stalled = `POST /v1/ingest HTTP/1.1\r\nHost: weir\r\nX-API-Key: ing\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`;

describe('S13: bodies that stall', () => {
  test('are held up to a bound for each key, beyond which more of it is refused', async () => {
    await using machine = await startMachine({ heldBytesMax: 4_000_000 });
    await using _one = await send(machine.port, stalled);
    await using _other = await send(machine.port, stalled);
    await expect.poll(() => machine.heldBytes.all).toBeGreaterThan(2 * bodyBytes);
    const refused = await callMachine(machine.url, 'POST', '/v1/ingest', { ...ingest, body });
    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([
      503,
      'dependency_unavailable',
      '1',
    ]);
    const small = await callMachine(machine.url, 'POST', '/v1/ingest', { ...ingest, json: { data: [1] } });
    expect(small.status).toBe(200);
    expect((await callMachine(machine.url, 'POST', things, { json: { name: 'a' } })).status).toBe(201);
  });

  test('are held no longer than their connections', async () => {
    await using machine = await startMachine({ heldBytesMax: 4_000_000 });
    {
      await using _one = await send(machine.port, stalled);
      await expect.poll(() => machine.heldBytes.all).toBeGreaterThan(bodyBytes);
    }
    await expect.poll(() => [machine.heldBytes.all, machine.limiter.inProgress]).toEqual([0, 0]);
    expect((await callMachine(machine.url, 'POST', '/v1/ingest', { ...ingest, body })).status).toBe(200);
    await expect.poll(() => machine.heldBytes.all).toBe(0);
  });
});

describe('a compressed body', () => {
  const call = (url: string, bytes: Uint8Array<ArrayBuffer>) =>
    callMachine(url, 'POST', '/v1/ingest', {
      key: 'ing',
      headers: { ...ingest.headers, 'content-encoding': 'gzip' },
      body: bytes,
    });

  test('is held as what it grows to', async () => {
    await using machine = await startMachine({ heldBytesMax: 1_000_000 });
    const large = gzipSync(JSON.stringify({ data: [Array.from({ length: 100_000 }, (_, at) => at)] }));
    expect(large.length).toBeLessThan(500_000);
    expect((await call(machine.url, large)).status).toBe(503);
    expect((await call(machine.url, gzipSync('{"data":[]}'))).status).toBe(200);
    await expect.poll(() => machine.heldBytes.all).toBe(0);
  });

  test('may grow to more than its end says: of several members the last one speaks for itself alone', async () => {
    await using machine = await startMachine();
    const members = Buffer.concat([gzipSync(`{"data":[${'1,'.repeat(1000)}`), gzipSync('1]}')]);
    expect(await call(machine.url, members)).toMatchObject({ status: 200, json: { data: { count: 1001 } } });
  });
});

test('answers that wait for one before them hold their places and bytes, and not beyond their connection', async () => {
  const { operations: all, isEntered, leave } = waiting();
  await using machine = await startMachine({ operations: all });
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer dev\r\n\r\n`;
  {
    await using _ = await send(machine.port, `${get('/wait')}${get(things).repeat(3)}`);
    await isEntered;
    await expect.poll(() => machine.limiter.inProgress).toBe(3);
    await expect.poll(() => machine.heldBytes.all).toBeGreaterThan(3 * 50);
    // what waits is no work that ends by itself
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(machine.limiter.inProgress).toBe(3);
  }
  await expect.poll(() => [machine.limiter.inProgress, machine.heldBytes.all]).toEqual([0, 0]);
  leave();
});

test('a change is told however much is held, and what is not sent takes nothing', async () => {
  const answered = { text: 'x'.repeat(60_000) };
  const large = (method: 'GET' | 'POST') =>
    operation({
      id: `large_${method}`,
      method,
      path: '/v1/large',
      tag: 'Ingestion',
      summary: 'Answers much',
      auth: 'ingestion',
      params: {},
      query: {},
      success: { status: 200, schema: z.strictObject({ text: z.string() }), example: answered },
      errors: [],
      handle: async () => answered,
    });
  await using machine = await startMachine({
    heldBytesMax: 1_850_000,
    operations: [...operations, large('GET'), large('POST')],
  });
  await using _ = await send(machine.port, stalled);
  await expect.poll(() => machine.heldBytes.all).toBeGreaterThan(bodyBytes);
  const statuses: number[] = [];
  for (const method of ['POST', 'GET', 'HEAD']) {
    const answer = await fetch(`${machine.url}/v1/large`, { method, headers: { 'x-api-key': 'ing' } });
    await answer.text();
    statuses.push(answer.status);
  }
  expect(statuses).toEqual([200, 503, 200]);
});

test('the body of a refused request is drained for its time, however soon answers must be taken', async () => {
  await using machine = await startMachine({ sendTimeoutMs: 100 });
  const length = 20_000;
  const { socket } = await send(
    machine.port,
    `POST ${things} HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer dev\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  );
  let told = '';
  socket.on('data', (text) => (told += text));
  for (let sent = 0; sent < length; sent += 2000) {
    socket.write('x'.repeat(2000));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await expect.poll(() => told).toMatch(/^HTTP\/1.1 413 /);
  expect(socket.destroyed).toBe(false);
  socket.destroy();
});
