import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Exchange } from './exchange.js';
import { StreamAnswer } from './operation.js';
import { sendStream } from './send-stream.js';

const sendMs = 10_000;
/** More than the kernel takes for a client that reads nothing. */
const long = Buffer.alloc(16 * 1024 * 1024, 'x');
const secondsOfLong = long.length / 65_536;

// the timers of sockets go on
beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => vi.useRealTimers());

/** Answers requests of one connection, which reads nothing. */
async function openUnread(answers: readonly Buffer[]) {
  const exchanges: Exchange[] = [];
  const all = Promise.withResolvers<void>();
  const server = createServer((req, res) => {
    const exchange = new Exchange(req, res, 'id', '127.0.0.1', sendMs);
    exchanges.push(exchange);
    exchange.startDeadline(1000);
    exchange.send(200, {}, answers[exchanges.length - 1] ?? '');
    if (exchanges.length === answers.length) all.resolve();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: weir\r\n\r\n'.repeat(answers.length));
  await all.promise;
  const [first] = exchanges as [Exchange];
  return {
    socket,
    exchanges,
    isOpen: () => !first.req.socket.destroyed,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('S13: an answer that is not taken ends its connection after a time that its length allows', async () => {
  await using unread = await openUnread([long]);
  const taken = vi.fn<() => void>();
  unread.exchanges[0]?.whenTaken(taken);
  await vi.advanceTimersByTimeAsync(sendMs + secondsOfLong * 1000 - 1);
  expect([unread.isOpen(), taken.mock.calls.length]).toEqual([true, 0]);
  await vi.advanceTimersByTimeAsync(1);
  expect(unread.isOpen()).toBe(false);
  await vi.waitFor(() => expect(taken).toHaveBeenCalledOnce());
  const late = vi.fn<() => void>();
  unread.exchanges[0]?.whenTaken(late);
  expect(late).toHaveBeenCalledOnce();
});

test('the time of an answer begins when those before it were taken', async () => {
  await using unread = await openUnread([long, Buffer.from('short')]);
  await vi.advanceTimersByTimeAsync(sendMs + 1000);
  expect(unread.isOpen()).toBe(true);
  unread.socket.resume();
  const last = unread.exchanges[1] as Exchange;
  await once(last.res, 'close');
  expect(last.res.writableFinished).toBe(true);
  await vi.advanceTimersByTimeAsync(2 * sendMs);
  expect(unread.isOpen()).toBe(true);
});

test('an answer that waits for the one before it does not end the connection while that is made', async () => {
  const exchanges: Exchange[] = [];
  const server = createServer((req, res) => {
    const exchange = new Exchange(req, res, 'id', '127.0.0.1', sendMs);
    if (exchanges.push(exchange) > 1) exchange.send(404, {}, 'second');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nHost: weir\r\n\r\n'.repeat(2));
  await vi.waitFor(() => expect(exchanges[1]?.status).toBe(404));
  const [first, second] = exchanges as [Exchange, Exchange];
  expect(first.req.socket.timeout ?? 0).toBe(0);
  const inTurn = new Promise((resolve) => second.res.once('socket', () => resolve(first.req.socket.timeout)));
  first.send(200, {}, 'first');
  expect(await inTurn).toBe(sendMs);
  socket.destroy();
  server.close();
});

test('S13: a stream of which little is taken ends its connection, whatever was taken before', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const pieceBytes = 65_536;
  const longMs = 3_600_000;
  const exchanged = Promise.withResolvers<Exchange>();
  const server = createServer((req, res) => {
    const exchange = new Exchange(req, res, 'id', '127.0.0.1', longMs);
    const pieces = (async function* () {
      for (;;) yield Buffer.alloc(pieceBytes, 'x');
    })();
    sendStream(exchange, new StreamAnswer({}, pieces)).catch(() => undefined);
    exchanged.resolve(exchange);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET / HTTP/1.1\r\nHost: weir\r\n\r\n');
  const exchange = await exchanged.promise;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  /** Takes so many more pieces, and then nothing. */
  const take = async (pieces: number): Promise<void> => {
    const enough = exchange.bytes + pieces * pieceBytes;
    socket.resume();
    while (exchange.bytes < enough) await turn();
    socket.pause();
    // what is on its way ends in the kernel
    for (let [at, before] = [Date.now(), 0]; Date.now() - at < 100; await turn()) {
      if (before !== exchange.bytes) [at, before] = [Date.now(), exchange.bytes];
    }
  };
  await take(1000);
  await vi.advanceTimersByTimeAsync(longMs - 1000);
  expect(exchange.req.socket.destroyed).toBe(false);
  const before = exchange.bytes;
  await take(1);
  const seconds = 1 + (exchange.bytes - before) / pieceBytes;
  expect(seconds).toBeLessThan(1000);
  await vi.advanceTimersByTimeAsync(seconds * 1000 - 2000);
  expect(exchange.req.socket.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(3000);
  expect(exchange.req.socket.destroyed).toBe(true);
  server.close();
});

test('a stream that waits for the one before it on its connection is not taken for one that is not taken', async () => {
  const answers: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
  const exchanges: Exchange[] = [];
  /** Of the connection when the first piece of each is made. */
  const timeouts: (number | undefined)[] = [];
  const server = createServer((req, res) => {
    const exchange = new Exchange(req, res, 'id', '127.0.0.1', sendMs);
    const answer = answers[exchanges.push(exchange) - 1] as PromiseWithResolvers<void>;
    const pieces = (async function* () {
      timeouts.push(req.socket.timeout);
      yield Buffer.alloc(65_536, 'x');
      await answer.promise;
      yield Buffer.from('end');
    })();
    sendStream(exchange, new StreamAnswer({}, pieces)).catch(() => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket
    .on('error', () => undefined)
    .on('data', (data) => {
      received += data.toString('latin1');
    });
  socket.write('GET / HTTP/1.1\r\nHost: weir\r\n\r\n'.repeat(2));
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  while (exchanges.length < 2 || received.length < 65_536) await turn();
  for (let i = 0; i < 20; i++) await turn();
  await vi.advanceTimersByTimeAsync(10 * sendMs);
  for (const answer of answers) answer.resolve();
  while (!socket.destroyed && received.split('end').length < 3) await turn();
  expect(received.split('end')).toHaveLength(3);
  expect(timeouts[1]).toBe(0);
  socket.destroy();
  server.close();
});

test('a stream whose time passes before its turn is begun is answered in its turn, and nothing is opened for it', async () => {
  const exchanges: Exchange[] = [];
  const refused = Promise.withResolvers<void>();
  let isOpened = false;
  const pieces = (async function* () {
    isOpened = true;
    yield Buffer.from('piece');
  })();
  const server = createServer((req, res) => {
    const exchange = new Exchange(req, res, 'id', '127.0.0.1', sendMs);
    if (exchanges.push(exchange) === 1) return;
    exchange.startDeadline(1000);
    sendStream(exchange, new StreamAnswer({}, pieces)).catch(() => {
      exchange.send(503, {}, 'late');
      refused.resolve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let received = '';
  socket.on('data', (data) => {
    received += data.toString('latin1');
  });
  socket.write('GET / HTTP/1.1\r\nHost: weir\r\n\r\n'.repeat(2));
  await vi.waitFor(() => expect(exchanges).toHaveLength(2));
  await vi.advanceTimersByTimeAsync(1000);
  await refused.promise;
  exchanges[0]?.send(200, {}, 'first');
  await vi.waitFor(() => expect(received).toMatch(/ 200 OK.*first.* 503 .*late/s));
  expect(isOpened).toBe(false);
  socket.destroy();
  server.close();
});
