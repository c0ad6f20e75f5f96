import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { things } from './call-machine.js';
import { startMachine } from './start-machine.js';

const crlf = '\r\n';
const get = (path: string, method = 'GET', key = 'dev') =>
  Buffer.from(`${method} ${path} HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer ${key}\r\n\r\n`);

function post(path: string, key: string, body: Buffer, more = ''): Buffer {
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: weir',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
  ];
  return Buffer.concat([Buffer.from(`${head.join(crlf)}\r\n${more}Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** The same in pieces of so many bytes. */
function chunked(body: Buffer, size: number): Buffer {
  const head = 'POST /v1/ingest HTTP/1.1\r\nHost: weir\r\nX-API-Key: ing\r\nContent-Type: application/json\r\n';
  const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) =>
    Buffer.concat([
      Buffer.from(`${Math.min(size, body.length - i * size).toString(16)}\r\n`),
      body.subarray(i * size, (i + 1) * size),
      Buffer.from(crlf),
    ]),
  );
  return Buffer.concat([Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`), ...chunks, Buffer.from('0\r\n\r\n')]);
}

const points = Buffer.from(JSON.stringify({ data: Array.from({ length: 20_000 }, () => 1) }));
const zipped = gzipSync(points);
/** Says that it grows to one byte. */
const lying = Buffer.concat([zipped.subarray(0, -4), Buffer.from([1, 0, 0, 0])]);

const requests: readonly Buffer[] = [
  get(things),
  get(things, 'HEAD'),
  get(`${things}?limit=0`),
  get(things, 'GET', 'nobody'),
  get(`${things}/slow`),
  get(`${things}/deaf`),
  get(`${things}/broken`),
  get('/nowhere'),
  post(things, 'dev', Buffer.from('{"name":"a"}')),
  post(things, 'dev', Buffer.from('{"name":')),
  post(things, 'dev', points),
  post('/v1/ingest', 'ing', points),
  post('/v1/ingest', 'ing', points, 'Expect: 100-continue\r\n'),
  post('/v1/ingest', 'ing', zipped, 'Content-Encoding: gzip\r\n'),
  post('/v1/ingest', 'ing', lying, 'Content-Encoding: gzip\r\n'),
  post('/v1/ingest', 'ing', zipped.subarray(0, -9), 'Content-Encoding: gzip\r\n'),
  chunked(points, 1000),
  chunked(points.subarray(0, 100), 1),
];

/** What a client does: requests one behind the other, of which the last may be cut off, and how it goes. */
interface Client {
  readonly chosen: readonly number[];
  readonly cutBytes: number;
  readonly waitMs: number;
  readonly goes: 'resets' | 'destroys' | 'ends';
  readonly reads: boolean;
}
const client: fc.Arbitrary<Client> = fc.record({
  chosen: fc.array(fc.nat(requests.length - 1), { minLength: 1, maxLength: 6 }),
  cutBytes: fc.oneof(fc.constant(0), fc.nat(200)),
  waitMs: fc.constantFrom(0, 0, 1, 5, 20, 400),
  goes: fc.constantFrom<Client['goes']>('resets', 'destroys', 'ends'),
  reads: fc.boolean(),
});

test('whatever clients send and however they go, each place and each byte is given back, once', async () => {
  await using machine = await startMachine({ heldBytesMax: 1_000_000 });
  const play = async ({ chosen, cutBytes, waitMs, goes, reads }: Client): Promise<void> => {
    const socket = connect({ port: machine.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (reads) socket.resume();
    const bytes = Buffer.concat(chosen.map((number) => requests[number] as Buffer));
    socket.write(bytes.subarray(0, Math.max(1, bytes.length - cutBytes)));
    await pause(waitMs);
    if (goes === 'resets') socket.resetAndDestroy();
    else if (goes === 'destroys') socket.destroy();
    else {
      socket.end();
      socket.resume();
      await pause(50);
      socket.destroy();
    }
  };
  await fc.assert(
    fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 40 }), async (clients) => {
      await Promise.all(clients.map(play));
      await expect.poll(() => [machine.limiter.inProgress, machine.heldBytes.all], { timeout: 5000 }).toEqual([0, 0]);
    }),
    { numRuns: 8 },
  );
});
