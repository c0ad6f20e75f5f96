import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { rawRequest } from './raw-request.js';
import { projectId, startMachine } from './start-machine.js';
import { waiting } from './waiting-operation.js';

const things = `/dev-api/v1/p/${projectId}/things`;
const head = (line: string, ...headers: string[]) =>
  `${[line, 'Host: weir', 'Authorization: Bearer dev', ...headers].join('\r\n')}\r\n\r\n`;
const list = head(`GET ${things} HTTP/1.1`, 'X-Request-ID: list');
const last = head(`GET ${things} HTTP/1.1`, 'X-Request-ID: last', 'Connection: close');
const ingest = (...headers: string[]) =>
  [
    'POST /v1/ingest HTTP/1.1',
    'Host: weir',
    'X-API-Key: ing',
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n');

describe('one connection', () => {
  test('carries requests in a row, refused bodies among them', async () => {
    await using machine = await startMachine();
    const answers = await rawRequest(machine.port, [
      list,
      ingest('Content-Length: 3').replace('Key: ing', 'Key: wrong'),
      'abc',
      ingest('Content-Length: 11'),
      '{"data":[]}',
      last,
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 401, 200, 200]);
  });

  test('that breaks after whole requests answers those first', async () => {
    await using machine = await startMachine();
    const answers = await rawRequest(machine.port, [`${list}${list}nonsense\r\n\r\n`]);
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 400]);
    expect(answers.map((answer) => answer.headers.get('x-request-id')).slice(0, 2)).toEqual(['list', 'list']);
  });

  test('whose body breaks is answered under the id of its request', async () => {
    await using machine = await startMachine();
    const answers = await rawRequest(machine.port, [
      ingest('Transfer-Encoding: chunked', 'X-Request-ID: mine'),
      '3\r\n{"d\r\n',
      50,
      'nonsense\r\n',
    ]);
    expect(answers.map(({ status, headers }) => [status, headers.get('x-request-id')])).toEqual([[400, 'mine']]);
  });

  test('that names scheme and host in its target reaches the health, too', async () => {
    await using machine = await startMachine();
    const get = 'GET HTTP://weir/livez HTTP/1.1\r\nHost: weir\r\nConnection: close\r\n\r\n';
    const [answer] = await rawRequest(machine.port, [get]);
    expect([answer?.status, answer?.body]).toEqual([200, '{"status":"live"}']);
  });

  test('that asks for a tunnel is refused under the id of its request', async () => {
    await using machine = await startMachine();
    const connect = 'CONNECT weir:443 HTTP/1.1\r\nHost: weir\r\nX-Request-ID: mine\r\n\r\n';
    const [answer] = await rawRequest(machine.port, [connect]);
    expect([answer?.status, answer?.headers.get('x-request-id')]).toEqual([400, 'mine']);
  });

  test.each([
    ['headers that drip', ['GET / HT', 200, 'TP/1.1\r\nX', 200, '-A: 1\r\n', 800]],
    ['a body that drips', [ingest('Content-Length: 20'), '{', 700, '"', 700, 'd', 1500]],
  ])('S13: %s time out', async (_, parts) => {
    await using machine = await startMachine();
    const answers = await rawRequest(machine.port, parts);
    expect(answers.map(({ status }) => status)).toEqual([408]);
    expect(JSON.parse(answers[0]?.body ?? '').error.code).toBe('request_timeout');
  });

  test('on which nothing came in time ends without an answer, which would be taken for that of a request on its way', async () => {
    await using machine = await startMachine();
    expect(await rawRequest(machine.port, [1500])).toEqual([]);
  });

  test('S13: a body that does not come within the deadline of its operation is 408', async () => {
    await using machine = await startMachine({ timeoutMs: 300 });
    const [answer] = await rawRequest(machine.port, [ingest('Content-Length: 20'), '{', 1000], true);
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([408, 'close']);
  });
});

describe('Expect: 100-continue', () => {
  const expectation = 'Expect: 100-continue';

  test('is met when the body is wanted', async () => {
    await using machine = await startMachine();
    const parts = [ingest(expectation, 'Content-Length: 11', 'Connection: close'), 100, '{"data":[]}'];
    expect((await rawRequest(machine.port, parts)).map(({ status }) => status)).toEqual([100, 200]);
  });

  test.each([
    ['a wrong key', ingest(expectation, 'Content-Length: 11').replace('Key: ing', 'Key: wrong'), 401],
    ['a length over the limit', ingest(expectation, 'Content-Length: 9000000'), 413],
    ['a wrong type', ingest(expectation, 'Content-Length: 11', 'Content-Encoding: br'), 415],
  ])('is refused for %s, and the connection ends', async (_, bytes, status) => {
    await using machine = await startMachine();
    const answers = await rawRequest(machine.port, [bytes], true);
    expect(answers.map((answer) => answer.status)).toEqual([status]);
    expect(answers[0]?.headers.get('connection')).toBe('close');
  });
});

describe('bodies that are too large', () => {
  test('are read on within a bound only', async () => {
    await using machine = await startMachine();
    const answers = await rawRequest(machine.port, [
      ingest('Transfer-Encoding: chunked'),
      Buffer.from(`1e8480\r\n${' '.repeat(2_000_000)}\r\n0\r\n\r\n`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([413]);
    expect(answers[0]?.headers.get('connection')).toBe('close');
  });

  test('cut the connection beyond it', async () => {
    await using machine = await startMachine();
    const socket = connect({ port: machine.port, host: '127.0.0.1' });
    socket.on('error', () => undefined);
    socket.write(ingest(`Content-Length: ${100 * 1024 * 1024}`));
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    const send = (): void => {
      while (!socket.destroyed && sent < 100) {
        sent++;
        if (!socket.write(chunk)) {
          socket.once('drain', send);
          return;
        }
      }
    };
    const closed = new Promise((resolve) => socket.once('close', resolve));
    send();
    socket.resume();
    await closed;
    expect(sent).toBeLessThan(100);
  });
});

describe('stopping', () => {
  test('is told by readyz, lets requests end and closes their connections', async () => {
    const { operations: all, isEntered, leave } = waiting();
    const machine = await startMachine({ operations: all, drainMs: 1000 });
    const health = async (path: string) => (await fetch(machine.url + path)).status;
    expect([await health('/livez'), await health('/readyz')]).toEqual([200, 200]);
    const idle = connect({ port: machine.port, host: '127.0.0.1' });
    const idleClosed = new Promise((resolve) => idle.once('close', resolve));
    idle.resume();
    const slow = rawRequest(machine.port, [head('GET /wait HTTP/1.1')]);
    await isEntered;
    const stopped = machine[Symbol.asyncDispose]();
    expect([await health('/livez'), await health('/readyz')]).toEqual([200, 503]);
    const [during] = await rawRequest(machine.port, [list]);
    expect([during?.status, during?.headers.get('connection')]).toEqual([200, 'close']);
    leave();
    const [answer] = await slow;
    expect([answer?.status, answer?.headers.get('connection')]).toEqual([200, 'close']);
    await idleClosed;
    await stopped;
    await expect(fetch(`${machine.url}/livez`)).rejects.toThrow();
  });

  test('not being ready is 503', async () => {
    await using machine = await startMachine({ isReady: () => false });
    const answer = await fetch(`${machine.url}/readyz`);
    expect([answer.status, await answer.json(), answer.headers.get('retry-after')]).toEqual([
      503,
      { status: 'not_ready' },
      '1',
    ]);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
  });
});

test('a client that goes away aborts the work', async () => {
  const { operations: all, isEntered, leave, aborted } = waiting();
  await using machine = await startMachine({ operations: all });
  const gone = request({ port: machine.port, path: '/wait' });
  gone.on('error', () => undefined);
  gone.end();
  await isEntered;
  gone.destroy();
  await expect.poll(aborted).toBeInstanceOf(Error);
  leave();
});

describe('other origins', () => {
  const origin = 'https://app.example';

  test('may read when they are configured', async () => {
    await using machine = await startMachine({ corsOrigins: [origin] });
    const answer = await fetch(machine.url + things, { headers: { origin } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get('access-control-allow-origin')).toBe(origin);
    expect(answer.headers.get('vary')).toBe('Origin');
    const preflight = await fetch(machine.url + things, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD, OPTIONS, POST');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('Authorization');
    const other = await fetch(machine.url + things, { headers: { origin: 'https://evil.example' } });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('may not otherwise', async () => {
    await using machine = await startMachine();
    const answer = await fetch(machine.url + things, { headers: { origin } });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('X-Forwarded-For', () => {
  const failed = async (trustedProxies: string[], forwardedFor: string) => {
    await using machine = await startMachine({ trustedProxies });
    await fetch(machine.url + things, { headers: { 'x-forwarded-for': forwardedFor } });
    return machine.limiter.failures[0];
  };

  test('counts only from configured proxies', async () => {
    expect(await failed([], '203.0.113.7')).toBe('127.0.0.1');
    expect(await failed(['10.0.0.0/8'], '203.0.113.7')).toBe('127.0.0.1');
    expect(await failed(['127.0.0.0/8'], '203.0.113.7')).toBe('203.0.113.7');
  });
});
