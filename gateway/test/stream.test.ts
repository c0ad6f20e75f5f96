import { once } from 'node:events';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { WeirError } from '@weir/kit/errors';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Operation, operation, StreamAnswer } from '../src/http/operation.js';
import { id, required } from '../src/http/parameters.js';
import { projectId, startMachine } from './start-machine.js';

/** What each stream did, by its name. */
const made = new Map<string, number>();
const ended = new Map<string, PromiseWithResolvers<void>>();

async function* piecesOf(name: string, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
  const end = Promise.withResolvers<void>();
  ended.set(name, end);
  try {
    if (name === 'refused') throw new WeirError('not_found', 'There is no such thing.');
    if (name === 'hanging') await once(signal, 'abort');
    for (let i = 0; name === 'endless' || i < 3; i++) {
      made.set(name, i + 1);
      yield name === 'endless' ? Buffer.alloc(100_000, 'x') : Buffer.from(`piece ${i}\n`);
      if (name === 'broken' && i === 1) throw new TypeError('a secret of the house');
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    end.resolve();
  }
}

const streams: readonly Operation[] = [
  operation({
    id: 'things_stream',
    method: 'GET',
    path: '/dev-api/v1/p/{project_id}/streams/{name}',
    tag: 'Things',
    summary: 'Stream things',
    auth: 'developer',
    permission: 'developer_api.sites.list',
    params: { project_id: required(id, 'The project.'), name: required(id, 'Which.') },
    query: {},
    success: {
      status: 200,
      schema: z.string(),
      example: '',
      streamed: [
        { type: 'text/plain; charset=utf-8', example: '' },
        { type: 'text/html', example: '' },
      ],
    },
    errors: ['not_found'],
    timeoutMs: 400,
    handle: async ({ params, mediaType, signal }) =>
      new StreamAnswer({ 'Content-Type': mediaType }, piecesOf(params.name, signal)),
  }),
];

let machine: Awaited<ReturnType<typeof startMachine>>;
beforeAll(async () => {
  machine = await startMachine({ operations: streams, corsOrigins: ['https://app.example'] });
});
afterAll(() => machine[Symbol.asyncDispose]());

const pathOf = (name: string) => `/dev-api/v1/p/${projectId}/streams/${name}`;
const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(machine.url + pathOf(name), {
    method,
    headers: { authorization: 'Bearer dev', 'accept-encoding': 'identity', ...headers },
  });
const whole = 'piece 0\npiece 1\npiece 2\n';

/** Waits until no request holds a place. */
async function released(): Promise<void> {
  while (machine.limiter.inProgress > 0) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** What a bare connection gets until its end, and whether that was a reset. */
async function raw(request: string): Promise<{ text: string; isReset: boolean }> {
  const socket = connect(machine.port, '127.0.0.1');
  let text = '';
  let isReset = false;
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    isReset = error.code === 'ECONNRESET';
  });
  socket.write(request);
  await new Promise((resolve) => socket.once('close', resolve));
  return { text, isReset };
}

describe('a stream', () => {
  test('is sent whole, in the type that the client wants', async () => {
    const plain = await get('fine');
    expect([plain.status, plain.headers.get('content-type'), plain.headers.get('content-encoding')]).toEqual([
      200,
      'text/plain; charset=utf-8',
      null,
    ]);
    expect(plain.headers.get('cache-control')).toBe('no-store');
    expect(plain.headers.get('vary')).toBe('Origin, Accept, Accept-Encoding');
    expect(plain.headers.get('ratelimit')).not.toBeNull();
    expect(await plain.text()).toBe(whole);
    expect((await get('fine', { accept: 'text/html' })).headers.get('content-type')).toBe('text/html');
    await released();
  });

  test('is compressed where the client takes that', async () => {
    const answer = await get('fine', { 'accept-encoding': 'gzip' });
    expect(answer.headers.get('content-encoding')).toBe('gzip');
    expect(await answer.text()).toBe(whole);
    const { text } = await raw(
      `GET ${pathOf('fine')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer dev\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n`,
    );
    const body = text.slice(text.indexOf('\r\n\r\n') + 4);
    const bytes = Buffer.from(body.slice(body.indexOf('\r\n') + 2), 'latin1');
    expect(bytes.subarray(0, 2)).toEqual(Buffer.of(0x1f, 0x8b));
    expect(() => gunzipSync(bytes)).toThrow();
  });

  test('HEAD has the headers and makes nothing', async () => {
    made.delete('fine');
    const answer = await get('fine', {}, 'HEAD');
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain; charset=utf-8',
      '',
    ]);
    expect(made.get('fine')).toBeUndefined();
    await released();
  });

  test('what fails before the first piece is an error like any other', async () => {
    const answer = await get('refused');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
    expect(await answer.json()).toMatchObject({ error: { code: 'not_found' } });
    await released();
  });

  test.each(['identity', 'gzip'])('what fails after it breaks the body off (%s)', async (encoding) => {
    const answer = await get('broken', { 'accept-encoding': encoding }).catch((error: unknown) => error);
    // the first bytes may be lost together with the rest
    if (answer instanceof Response) await expect(answer.text()).rejects.toThrow();
    await released();
  });

  test('a client of HTTP/1.0 gets the end of the connection as the end, or a reset', async () => {
    const request = (name: string) => `GET ${pathOf(name)} HTTP/1.0\r\nAuthorization: Bearer dev\r\n\r\n`;
    const fine = await raw(request('fine'));
    expect(fine.text.slice(fine.text.indexOf('\r\n\r\n') + 4)).toBe(whole);
    expect(fine.isReset).toBe(false);
    expect((await raw(request('broken'))).isReset).toBe(true);
    await released();
  });

  test('time that is up before the first piece is 503, and after it the end of the connection', async () => {
    expect((await get('hanging')).status).toBe(503);
    const answer = await get('endless');
    await expect(
      (async () => {
        for await (const _ of answer.body ?? []) await new Promise((resolve) => setTimeout(resolve, 20));
      })(),
    ).rejects.toThrow();
    await ended.get('endless')?.promise;
    await released();
  });

  test('a client that stops taking stops it, and one that leaves ends it', async () => {
    const socket = connect(machine.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(`GET ${pathOf('endless')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer dev\r\n\r\n`);
    await once(socket, 'readable');
    let before = -1;
    while (made.get('endless') !== before) {
      before = made.get('endless') ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    // what the buffers of the connection hold
    expect(before).toBeLessThan(200);
    socket.destroy();
    await ended.get('endless')?.promise;
    await released();
  });
});
