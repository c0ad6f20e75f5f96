import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawAnswered, rawRequest } from './raw-request.js';
import { projectId, startMachine } from './start-machine.js';

let machine: Awaited<ReturnType<typeof startMachine>>;
beforeAll(async () => {
  machine = await startMachine();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const things = `/dev-api/v1/p/${projectId}/things`;
const host = 'Host: weir\r\n';
const key = 'Authorization: Bearer dev\r\n';
const end = 'Connection: close\r\n\r\n';
const get = (target: string, headers = host + key) => `GET ${target} HTTP/1.1\r\n${headers}${end}`;
const post = (headers: string, body = '') =>
  `POST /v1/ingest HTTP/1.1\r\n${host}X-API-Key: ing\r\nContent-Type: application/json\r\n${headers}${end}${body}`;

const nowhere = (headers: string, body: string) => `POST /nowhere HTTP/1.1\r\n${host}${headers}\r\n${body}`;

/** What each must be answered with; `closed` is a close without an answer. */
type Expected = number | 'closed' | readonly number[];

const corpus: readonly [name: string, bytes: string | Buffer, expected: Expected][] = [
  ['nonsense', 'nonsense\r\n\r\n', 400],
  ['blank lines before a request', `\r\n\r\n${get(things)}`, 200],
  ['a TLS hello', Buffer.from('16030100c8010000c40303', 'hex'), 400],
  ['an HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  ['an unknown method', `FOO ${things} HTTP/1.1\r\n${host}${end}`, 400],
  ['a method in lower case', `get ${things} HTTP/1.1\r\n${host}${end}`, 400],
  ['no version', `GET ${things}\r\n${host}${end}`, 400],
  ['version 0.9', `GET ${things} HTTP/0.9\r\n${host}${end}`, 400],
  ['version 3.0', `GET ${things} HTTP/3.0\r\n${host}${end}`, 400],
  ['version 1.0 without a host', `GET ${things} HTTP/1.0\r\n${key}\r\n`, 200],
  ['no host', get(things, key), 400],
  ['two hosts', get(things, `${host}Host: other\r\n${key}`), 400],
  ['a host that is none', get(things, `Host: a b\r\n${key}`), 400],
  ['a host with a path', get(things, `Host: weir/x\r\n${key}`), 400],
  ['a host that is markup', get(things, `Host: <weir>\r\n${key}`), 400],
  ['a host with a port', get(things, `Host: [::1]:8080\r\n${key}`), 200],
  ['an empty host', get(things, `Host:\r\n${key}`), 200],
  ['two equal hosts', get(things, host + host + key), 400],
  ['a blank in the target', get(`${things} x`), 400],
  ['a tab in the target', get(`${things}\tx`), 400],
  ['NUL in the target', get(`${things}\0`), 400],
  ['a target that is no path', get('things'), 400],
  ['an absolute target', get(`http://weir${things}`), 200],
  ['an absolute target without a path', get('HTTP://weir'), 404],
  ['an absolute target that is none', get('http://['), [400, 404]],
  ['a star', get('*'), 404],
  ['a star of OPTIONS', `OPTIONS * HTTP/1.1\r\n${host}${end}`, 204],
  ['bare LF', `GET ${things} HTTP/1.1\n${host}${key}\n`, [200, 400]],
  ['bare CR', `GET ${things} HTTP/1.1\r${host}${key}\r\r`, 400],
  ['raw UTF-8 in the target', Buffer.from(get(`${things}?q=é`), 'utf8'), 400],
  ['broken escapes in the path', get('/dev-api/v1/p/%zz/things'), 400],
  ['broken escapes in an unknown path', get('/nowhere/%zz'), 404],
  ['broken escapes in the path without a key', get('/dev-api/v1/p/%zz/things', host), 401],
  ['broken escapes in the path of another method', `TRACE /dev-api/v1/p/%zz/things HTTP/1.1\r\n${host}${end}`, 405],
  ['broken escapes in a later part of the path of another project', get('/dev-api/v1/p/x/things/%zz'), 403],
  ['a cut escape in the path', get('/dev-api/v1/p/%e/things'), 400],
  ['overlong UTF-8 in the path', get('/dev-api/v1/p/%c0%af/things'), 400],
  ['half a surrogate pair in the path', get('/dev-api/v1/p/%ed%a0%80/things'), 400],
  ['an escaped NUL in the path', get(`${things}/%00`), 400],
  ['an escaped slash in the path', get(`${things}/a%2fb`), 404],
  ['dots in the path', get(`${things}/../../../../../etc/passwd`), 404],
  ['escaped dots in the path', get('/dev-api/v1/p/%2e%2e/things'), 403],
  ['two slashes', get(`/${things}`), 404],
  ['a fragment', get(`${things}#x`), 400],
  ['a fragment that hides a query', get(`${things}#?limit=1`), 400],
  ['a target of another scheme', get(`ftp://weir${things}`), 400],
  ['broken escapes in the query', get(`${things}?limit=%`), 400],
  ['overlong UTF-8 in the query', get(`${things}?cursor=%c0%80`), 400],
  ['CRLF in the query', get(`${things}?cursor=%0d%0aX-Evil:%201`), 200],
  ['a query of signs', get(`${things}?&&=&?=#`), 400],
  ['a header without a colon', get(things, `${host}nonsense\r\n`), 400],
  ['a header with a blank before the colon', get(things, `${host}X-A : 1\r\n`), 400],
  ['a header without a name', get(things, `${host}: 1\r\n`), 400],
  ['a folded header', get(things, `${host}X-A: 1\r\n folded\r\n${key}`), 400],
  ['a first header that is folded', get(things, ` ${host}${key}`), 400],
  ['NUL in a header', get(things, `${host}X-A: a\0b\r\n${key}`), 400],
  ['a control character in a header', get(things, `${host}X-A: a\x01b\r\n${key}`), 400],
  ['NUL in a header name', get(things, `${host}X\0A: a\r\n${key}`), 400],
  ['latin1 in a header', get(things, `${host}X-A: \xe9\r\n${key}`), 200],
  ['two keys', get(things, `${host}${key}Authorization: Bearer x\r\n`), 401],
  ['two equal keys', get(things, host + key + key), 401],
  ['an empty key', get(things, `${host}Authorization:\r\n`), 401],
  ['a request id with a line end', get(things, `${host}${key}X-Request-ID: a\rb\r\n`), 400],
  ['a request id of 10 kB', get(things, `${host}${key}X-Request-ID: ${'x'.repeat(10_000)}\r\n`), 200],
  ['two request ids', get(things, `${host}${key}X-Request-ID: a\r\nX-Request-ID: b\r\n`), 200],
  ['a traceparent that is none', get(things, `${host}${key}traceparent: 00-zz-zz-zz\r\n`), 200],
  ['a header of 70 kB', get(things, `${host}X-A: ${'x'.repeat(70_000)}\r\n`), 431],
  ['10,000 headers', get(things, host + 'X-A: 1\r\n'.repeat(10_000)), 431],
  ['a target of 70 kB', get(`${things}?cursor=${'x'.repeat(70_000)}`), 431],
  ['length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'), 400],
  ['two lengths', post('Content-Length: 11\r\nContent-Length: 12\r\n', '{"data":[]}'), 400],
  ['two equal lengths', post('Content-Length: 11\r\nContent-Length: 11\r\n', '{"data":[]}'), 400],
  ['a list of lengths', post('Content-Length: 11, 11\r\n', '{"data":[]}'), 400],
  ['a negative length', post('Content-Length: -1\r\n'), 400],
  ['a length that is no number', post('Content-Length: 0x0b\r\n', '{"data":[]}'), 400],
  ['a signed length', post('Content-Length: +11\r\n', '{"data":[]}'), 400],
  ['a length beyond all numbers', post(`Content-Length: ${'9'.repeat(30)}\r\n`), 400],
  ['an unknown transfer coding', post('Transfer-Encoding: gzip\r\n', '{"data":[]}'), 400],
  ['a coding below the chunks', post('Transfer-Encoding: gzip, chunked\r\n', 'b\r\n{"data":[]}\r\n0\r\n\r\n'), 400],
  ['chunks in upper case', post('Transfer-Encoding: CHUNKED\r\n', 'b\r\n{"data":[]}\r\n0\r\n\r\n'), 200],
  ['chunks twice', post('Transfer-Encoding: chunked, chunked\r\n', '0\r\n\r\n'), 400],
  ['a hidden transfer coding', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), 400],
  ['a chunk size that is none', post('Transfer-Encoding: chunked\r\n', 'zz\r\n{}\r\n0\r\n\r\n'), 400],
  ['a chunk size beyond all numbers', post('Transfer-Encoding: chunked\r\n', `${'f'.repeat(20)}\r\n{}\r\n`), 400],
  ['a chunk longer than it says', post('Transfer-Encoding: chunked\r\n', '2\r\n{"data":[]}\r\n0\r\n\r\n'), 400],
  ['a chunk size that is none, to nowhere', nowhere('Transfer-Encoding: chunked\r\n', 'zz\r\n'), 404],
  ['a transfer coding that is none, to nowhere', nowhere('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), 400],
  [
    'an unknown transfer coding with another method',
    `PUT /v1/ingest HTTP/1.1\r\n${host}Transfer-Encoding: gzip\r\n\r\n`,
    400,
  ],
  ['chunk extensions', post('Transfer-Encoding: chunked\r\n', 'b;a=b\r\n{"data":[]}\r\n0\r\n\r\n'), 200],
  ['chunk extensions of 20 kB', post('Transfer-Encoding: chunked\r\n', `b;a=${'x'.repeat(20_000)}\r\n`), 400],
  ['trailers', post('Transfer-Encoding: chunked\r\n', 'b\r\n{"data":[]}\r\n0\r\nX-A: 1\r\n\r\n'), 200],
  ['an unknown expectation', post('Expect: tea\r\nContent-Length: 11\r\n', '{"data":[]}'), 200],
  [
    'chunks without content where no body is expected',
    get(things, `${host}${key}Transfer-Encoding: chunked\r\n`) + '0\r\n\r\n',
    200,
  ],
  [
    'chunks where no body is expected',
    get(things, `${host}${key}Transfer-Encoding: chunked\r\n`) + '1\r\nx\r\n0\r\n\r\n',
    400,
  ],
  ['a body where none is expected', `${get(things, `${host}${key}Content-Length: 2\r\n`)}{}`, 400],
  ['TRACE', `TRACE ${things} HTTP/1.1\r\n${host}${end}`, 405],
  ['CONNECT', `CONNECT weir:443 HTTP/1.1\r\n${host}${end}`, 400],
  ['an upgrade', get(things, `${host}${key}Upgrade: websocket\r\nConnection: upgrade\r\n`), 200],
  ['half a request, then the end', `GET ${things} HTTP/1.1\r\nHost: w`, [400, 408]],
  ['half a body, then the end', post('Content-Length: 100\r\n', '{"data":'), 400],
  ['nothing', '', 'closed'],
];

function check(answer: RawAnswered): void {
  const id = answer.headers.get('x-request-id');
  expect(id).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  expect(answer.status).toBeLessThan(500);
  if (answer.headers.get('content-length') === undefined) return;
  const json = JSON.parse(answer.body);
  expect(json.request_id).toBe(id);
  if (answer.status >= 400) expect(json.error).toMatchObject({ code: expect.any(String), message: expect.any(String) });
}

/** Sends bytes of the corpus; of what comes in pieces the sending side is closed after the last. */
const send = (name: string, bytes: string | Buffer): Promise<RawAnswered[]> =>
  rawRequest(machine.port, [bytes], /^(half|nothing|a TLS)/.test(name));

/** Requests of the corpus that are sent at the same time. */
const together = 20;

describe('S11: what is sent raw is answered with the envelope, or closed', () => {
  test.each(corpus)('%s', async (_, bytes, expected) => {
    const answers = await send(_, bytes);
    if (expected === 'closed') expect(answers).toEqual([]);
    else {
      expect(answers).toHaveLength(1);
      const [answer] = answers;
      if (answer === undefined) return;
      check(answer);
      expect(typeof expected === 'number' ? [expected] : expected).toContain(answer.status);
    }
  });
});

test('a method that is unknown is told as what may be wrong', async () => {
  const [answer] = await send('an unknown method', `FOO ${things} HTTP/1.1\r\n${host}${end}`);
  expect(JSON.parse(answer?.body ?? '').error.message).toContain('its method is unknown');
});

test('S11: nothing of what was sent raw stays in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const rounds = 20;
  /** Bytes of objects, and those that are resident, once the whole corpus was sent again and again. */
  const usedAfterRounds = async () => {
    for (let round = 0; round < rounds; round++)
      for (let at = 0; at < corpus.length; at += together)
        await Promise.all(corpus.slice(at, at + together).map(([name, bytes]) => send(name, bytes)));
    collect();
    return process.memoryUsage();
  };
  const warm = await usedAfterRounds();
  const { heapUsed, rss } = await usedAfterRounds();
  const requests = rounds * corpus.length;
  // any request that is kept has several times as much
  expect((heapUsed - warm.heapUsed) / requests).toBeLessThan(512);
  // buffers too, and what allocators keep for themselves, which is the same however many requests come
  expect((rss - warm.rss) / requests).toBeLessThan(24 * 1024);
});
