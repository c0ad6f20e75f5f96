import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { send } from './device.js';

const body = JSON.stringify({ data: { replayed: false, runs: [{ run_id: 'r' }] } });
const whole = `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** What is recorded of one request to a server that does so with its connection. */
async function answerOf(does: (socket: Socket) => unknown): Promise<object> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => does(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const gatewayUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const tenant = { ingestionKey: 'k' } as Parameters<typeof send>[0]['tenant'];
  const answer = await send({ gatewayUrl, tenant }, { key: 'a', device: 'd', readings: [], answers: [] });
  server.close();
  return answer;
}

test('an answer is recorded with its runs', async () => {
  const answer = await answerOf((socket) => socket.end(whole));
  expect(answer).toMatchObject({ status: 200, runs: ['r'], replayed: false });
  expect(answer).not.toHaveProperty('failure');
});

test('a connection that ends before an answer is told from one that ends within it', async () => {
  expect(await answerOf((socket) => socket.resetAndDestroy())).toMatchObject({ status: 0, failure: 'reset' });
  const breakOff = (socket: Socket) => socket.write(whole.slice(0, -1), () => socket.destroy());
  expect(await answerOf(breakOff)).toMatchObject({ status: 0, failure: 'broken' });
});
