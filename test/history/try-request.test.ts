import { once } from 'node:events';
import { Agent } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { tryRequest } from './try-request.js';

const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';
const patienceMs = 200;

/** What the server does with the requests of a connection, one after the other. */
let does: ((socket: Socket) => void)[] = [];
const answer = (socket: Socket): unknown => socket.write(whole);
const reset = (socket: Socket): unknown => socket.resetAndDestroy();
const stayDumb = (): void => undefined;
const breakOff = (socket: Socket): unknown => socket.write(whole.slice(0, -1), () => socket.destroy());
const breakHead = (socket: Socket): unknown => socket.write(whole.slice(0, 12), () => socket.destroy());

const server = createServer((socket) => {
  socket.on('error', () => undefined);
  socket.on('data', () => does.shift()?.(socket));
});
beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
afterAll(() => server.close());

let agent: Agent;
beforeEach(() => {
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return () => agent.destroy();
});

const ask = (method: string) => {
  const { port } = server.address() as AddressInfo;
  return tryRequest(agent, { method, url: `http://127.0.0.1:${port}/`, headers: {} }, patienceMs);
};

test('an answer is told, over a connection that is kept', async () => {
  does = [answer, answer];
  expect([await ask('GET'), await ask('PATCH')]).toEqual(Array(2).fill({ status: 200, text: 'ok' }));
});

test.each(['GET', 'PATCH'])(
  '%s may be repeated when a kept connection ends before a byte of the answer',
  async (method) => {
    does = [answer, reset];
    await ask('GET');
    expect(await ask(method)).toBe('reset');
  },
);

test.each([
  ['GET', 'reset'],
  ['PATCH', 'broken'],
])('%s is %s when a new connection ends', async (method, outcome) => {
  does = [reset];
  expect(await ask(method)).toBe(outcome);
});

test.each([
  ['its head', breakHead],
  ['its body', breakOff],
])('an answer that breaks off within %s is broken, of a GET too', async (_, within) => {
  does = [answer, within];
  await ask('GET');
  expect(await ask('GET')).toBe('broken');
});

test('a request that nobody answers is silent', async () => {
  does = [stayDumb];
  expect(await ask('GET')).toBe('silent');
});
