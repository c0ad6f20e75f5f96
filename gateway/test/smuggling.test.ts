import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rawRequest } from './raw-request.js';
import { projectId, startMachine } from './start-machine.js';

let machine: Awaited<ReturnType<typeof startMachine>>;
beforeAll(async () => {
  machine = await startMachine();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const things = `/dev-api/v1/p/${projectId}/things`;
/** What an attacker hides in the body of another request, or behind it. */
const smuggled = `GET ${things} HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer dev\r\nX-Request-ID: smuggled\r\n\r\n`;
/** What a proxy sends next on the same connection, for somebody else. */
const next = `GET ${things} HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer dev\r\nX-Request-ID: next\r\nConnection: close\r\n\r\n`;
const length = Buffer.byteLength(smuggled);
const hexLength = length.toString(16);

const post = (headers: string, body: string, key = 'ing', path = '/v1/ingest') =>
  `POST ${path} HTTP/1.1\r\nHost: weir\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\nX-Request-ID: first\r\n${headers}\r\n${body}`;

const idsOf = async (bytes: string): Promise<(string | undefined)[]> =>
  (await rawRequest(machine.port, [bytes], true)).map(({ headers }) => headers.get('x-request-id'));

describe('S11: of two readings of where a request ends', () => {
  test.each([
    [
      'length before chunks',
      post(`Content-Length: ${length + 5}\r\nTransfer-Encoding: chunked\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    [
      'chunks before length',
      post(`Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`, `${hexLength}\r\n${smuggled}\r\n0\r\n\r\n`),
    ],
    [
      'chunks with a blank before the colon',
      post(`Transfer-Encoding : chunked\r\nContent-Length: ${length + 5}\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    [
      'chunks with a tab before the name',
      post(`\tTransfer-Encoding: chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    [
      'chunks on a folded line',
      post(`Transfer-Encoding:\r\n chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    [
      'chunks beside another coding',
      post(`Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    [
      'chunks of version 1.0',
      post(`Transfer-Encoding: chunked\r\nConnection: keep-alive\r\n`, `0\r\n\r\n${smuggled}`).replace('1.1', '1.0'),
    ],
    ['chunks in quotes', post(`Transfer-Encoding: "chunked"\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`)],
    [
      'chunks with a vertical tab',
      post(`Transfer-Encoding: \x0bchunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    [
      'a header hidden behind a bare CR',
      post(`X-A: b\rTransfer-Encoding: chunked\r\nContent-Length: 5\r\n`, `0\r\n\r\n${smuggled}`),
    ],
    ['two lengths', post(`Content-Length: 0\r\nContent-Length: ${length}\r\n`, smuggled)],
    ['a length with a sign', post(`Content-Length: +0\r\n`, smuggled)],
    ['a length in two parts', post(`Content-Length: 0 ${length}\r\n`, smuggled)],
    ['a chunk size beyond 64 bits', post('Transfer-Encoding: chunked\r\n', `10000000000000000\r\n${smuggled}`)],
    ['a chunk size with a prefix', post('Transfer-Encoding: chunked\r\n', `0x0\r\n\r\n${smuggled}`)],
    ['a chunk size with an underscore', post('Transfer-Encoding: chunked\r\n', `0_0\r\n\r\n${smuggled}`)],
    ['a chunk whose line ends with LF', post('Transfer-Encoding: chunked\r\n', `0\n\n${smuggled}`)],
    ['a chunk extension with LF', post('Transfer-Encoding: chunked\r\n', `0;a\nb\r\n\r\n${smuggled}`)],
    ['a chunk that ends where it does not', post('Transfer-Encoding: chunked\r\n', `2\r\n{}XX0\r\n\r\n${smuggled}`)],
  ])('%s: neither is taken for the next request', async (_, bytes) => {
    const ids = await idsOf(bytes + next);
    expect(ids).toHaveLength(1);
    expect(ids).not.toContain('smuggled');
    expect(ids).not.toContain('next');
  });

  test.each([
    ['of a key that is none', post(`Content-Length: ${length}\r\n`, smuggled, 'wrong')],
    ['of an unknown path', post(`Content-Length: ${length}\r\n`, smuggled, 'ing', '/nowhere')],
    ['that is no JSON', post(`Content-Length: ${length}\r\n`, smuggled)],
    [
      'where none is expected',
      post(`Content-Length: ${length}\r\n`, smuggled).replace('POST /v1/ingest', `GET ${things}`),
    ],
    ['of a method that the path lacks', post(`Content-Length: ${length}\r\n`, smuggled).replace('POST', 'DELETE')],
  ])('a body %s is no request, and the next one is answered', async (_, bytes) => {
    expect(await idsOf(bytes + next)).toEqual(['first', 'next']);
  });
});

test('S11: a body in chunks that nobody reads is the last of its connection', async () => {
  const chunks = `${hexLength}\r\n${smuggled}\r\n0\r\n\r\n`;
  expect(await idsOf(post('Transfer-Encoding: chunked\r\n', chunks, 'wrong') + next)).toEqual(['first']);
});

test.each([
  ['a GET', smuggled.replace('\r\n\r\n', '\r\nUpgrade: h2c\r\nConnection: x, Upgrade\r\n\r\n')],
  ['a POST', post('Upgrade: websocket\r\nConnection: upgrade\r\nContent-Length: 11\r\n', '{"data":[]}')],
])('S11: %s that asks for another protocol is the last of its connection', async (_, first) => {
  // Node drops what comes in the packet of such a request, so the next packet would begin in the middle of one
  const half = next.length / 2;
  const answers = await rawRequest(machine.port, [first + next.slice(0, half), 5, next, 5, next]);
  expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([[200, 'close']]);
});

describe('S11: whatever bytes come', () => {
  const requests = [
    next,
    smuggled,
    post('Content-Length: 11\r\n', '{"data":[]}'),
    post('Transfer-Encoding: chunked\r\n', 'b\r\n{"data":[]}\r\n0\r\n\r\n'),
    post('Content-Encoding: gzip\r\nContent-Length: 3\r\n', '\x1f\x8b\x08'),
    `OPTIONS * HTTP/1.1\r\nHost: weir\r\n\r\n`,
  ].map((text) => Buffer.from(text, 'latin1'));
  const piece = fc
    .tuple(
      fc.constantFrom(...requests),
      fc.array(fc.tuple(fc.nat(400), fc.nat(4), fc.uint8Array({ maxLength: 6 })), { maxLength: 4 }),
    )
    .map(([request, changes]) =>
      changes.reduce(
        (bytes, [at, removed, added]) => Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]),
        request as Buffer,
      ),
    );
  const anything = fc.oneof(
    { weight: 6, arbitrary: fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => Buffer.concat(pieces)) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
  );

  test('each is answered with an envelope and no fault of ours, or closed', async () => {
    const samples = fc.sample(anything, 800);
    const together = 50;
    for (let from = 0; from < samples.length; from += together) {
      const some = samples.slice(from, from + together);
      const all = await Promise.all(some.map((bytes) => rawRequest(machine.port, [bytes], true)));
      for (const [at, answers] of all.entries()) {
        const sent = JSON.stringify(some[at]?.toString('latin1'));
        for (const { status, headers, body } of answers) {
          if (status === 100) continue;
          expect(status, sent).toBeLessThan(500);
          expect(headers.get('x-request-id'), sent).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
          if (status >= 400 && body !== '') expect(JSON.parse(body).error.code, sent).toMatch(/^[a-z_]+$/);
        }
      }
    }
    // all that was held for them is free again, and others are served
    await expect.poll(() => machine.limiter.inProgress).toBe(0);
    expect(await idsOf(next)).toEqual(['next']);
  });
});
