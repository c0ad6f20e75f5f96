import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callMachine, type MachineCall, things } from './call-machine.js';
import { startMachine } from './start-machine.js';

let machine: Awaited<ReturnType<typeof startMachine>>;
beforeAll(async () => {
  machine = await startMachine();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const call = (method: string, path: string, request?: MachineCall) => callMachine(machine.url, method, path, request);
const ingest = (request: MachineCall) => call('POST', '/v1/ingest', { key: 'ing', ...request });

test.each([
  ['/dev-api/v1/p/%ff/things', ['path/project_id invalid_text']],
  ['/dev-api/v1/p/%00/things', ['path/project_id invalid_text']],
  [`${things}/%e2%82`, ['path/thing_id invalid_text']],
  [`${things}/a%ffb?x=1`, ['path/thing_id invalid_text', 'query/x unknown_query_parameter']],
])('a path that is no text is told where it stands: %s', async (path, details) => {
  const answer = await call('GET', path);
  expect([answer.status, answer.details]).toEqual([400, details]);
});

describe('query', () => {
  test.each<[string, string[], string]>([
    ['limit=0', ['query/limit out_of_range'], 'invalid_request'],
    ['limit=1e1', ['query/limit invalid_integer'], 'invalid_request'],
    ['limit=+5', ['query/limit invalid_integer'], 'invalid_request'],
    ['limit=05', ['query/limit invalid_integer'], 'invalid_request'],
    ['limit=', ['query/limit empty_value'], 'invalid_request'],
    ['limit', ['query/limit empty_value'], 'invalid_request'],
    ['limit=1&limit=1', ['query/limit repeated_parameter'], 'invalid_request'],
    ['limit=1&limi%74=1', ['query/limit repeated_parameter'], 'invalid_request'],
    ['include_archived=TRUE', ['query/include_archived invalid_boolean'], 'invalid_request'],
    ['Limit=1', ['query/Limit unknown_query_parameter'], 'unknown_query_parameter'],
    ['limit[]=1', ['query/limit[] unknown_query_parameter'], 'unknown_query_parameter'],
    [
      '__proto__=1&constructor=2',
      ['__proto__', 'constructor'].map((n) => `query/${n} unknown_query_parameter`),
      'unknown_query_parameter',
    ],
    ['a/b~=1', ['query/a~1b~0 unknown_query_parameter'], 'unknown_query_parameter'],
    [
      'x=1&limit=0&cursor=',
      ['query/x unknown_query_parameter', 'query/limit out_of_range', 'query/cursor empty_value'],
      'invalid_request',
    ],
    ['limit=%zz', ['query/limit invalid_encoding'], 'invalid_request'],
    ['ids=%c0%af', ['query/ids invalid_encoding'], 'invalid_request'],
    ['cursor=%00', ['query/cursor invalid_text'], 'invalid_request'],
    ['ids=a,b,c,d', ['query/ids out_of_range'], 'invalid_request'],
    ['ids=a,,b', ['query/ids invalid_id'], 'invalid_request'],
  ])('%s', async (query, details, code) => {
    const answer = await call('GET', `${things}?${query}`);
    expect([answer.status, answer.code, answer.details]).toEqual([400, code, details]);
  });

  test('a list may be repeated, and counts what stands twice once', async () => {
    expect((await call('GET', `${things}?ids=a,b&ids=a`)).json.data).toMatchObject({ ids: ['a', 'b'] });
  });

  test('no more than fifty faults are told', async () => {
    const query = Array.from({ length: 200 }, (_, i) => `x${i}=1`).join('&');
    expect((await call('GET', `${things}?${query}`)).details).toHaveLength(50);
  });

  test('S16: a cursor of 16384 characters passes, a longer one is 429 alone', async () => {
    expect((await call('GET', `${things}?cursor=${'a'.repeat(16_384)}`)).status).toBe(200);
    const answer = await call('GET', `${things}?cursor=${'a'.repeat(16_385)}&x=1`);
    expect([answer.status, answer.code]).toEqual([429, 'cursor_too_large']);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});

describe('bodies', () => {
  const create = (body: string, headers: Record<string, string> = {}) =>
    call('POST', things, { body, headers: { 'content-type': 'application/json', ...headers } });

  test.each<[string, string, string[], string]>([
    ['nothing', '', [' malformed_json'], 'malformed_json'],
    ['no JSON', '{"name":', [' malformed_json'], 'malformed_json'],
    ['no object', '[]', [' invalid_type'], 'invalid_request'],
    ['an unknown member', '{"name":"a","x":1}', ['/x unknown_field'], 'unknown_field'],
    [
      'an unknown member below',
      '{"name":"a","things":[{"name":"b","x":1}]}',
      ['/things/0/x unknown_field'],
      'unknown_field',
    ],
    ['own __proto__', '{"name":"a","__proto__":{"x":1}}', ['/__proto__ unknown_field'], 'unknown_field'],
    [
      'own __proto__ where names are free',
      '{"name":"a","metadata":{"\\u005f_proto__":"x"}}',
      ['/metadata/__proto__ unknown_field'],
      'unknown_field',
    ],
    [
      'own constructor',
      '{"name":"a","constructor":{"prototype":{"x":1}}}',
      ['/constructor unknown_field'],
      'unknown_field',
    ],
    ['a missing member', '{}', ['/name required'], 'invalid_request'],
    [
      'faults of all kinds',
      '{"name":1,"x":2,"things":[{"name":""}]}',
      ['/name invalid_type', '/things/0/name too_short', '/x unknown_field'],
      'invalid_request',
    ],
    [
      'a number that overflows',
      '{"name":"a","things":[{"name":"b","value":1e400}]}',
      ['/things/0/value out_of_range'],
      'invalid_request',
    ],
    ['NUL', '{"name":"a\\u0000"}', ['/name invalid_text'], 'invalid_request'],
    ['half a surrogate pair', '{"name":"\\ud800"}', ['/name invalid_text'], 'invalid_request'],
    [
      '33 deep',
      `{"name":"a","nested":${'['.repeat(32)}${']'.repeat(32)}}`,
      ['/nested/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0 too_deep'],
      'invalid_request',
    ],
  ])('%s', async (_, body, details, code) => {
    const answer = await create(body);
    expect([answer.status, answer.code, answer.details]).toEqual([400, code, details]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('S12: 32 deep passes', async () => {
    expect((await create(`{"name":"a","nested":${'['.repeat(31)}${']'.repeat(31)}}`)).status).toBe(201);
  });

  test('a syntax error says where it stands', async () => {
    expect((await create('{\n "name": nope\n}')).json.error.message).toContain('line 2, column 10');
  });

  test('__proto__ is said to be no name, since members may have others there', async () => {
    const { json } = await create('{"name":"a","metadata":{"__proto__":"x"}}');
    expect(json.error.message).toContain('No member may be called __proto__');
  });

  test('faults of query, header and body are told at once', async () => {
    const answer = await call('POST', `${things}?x=1`, { json: { y: 2 }, headers: { 'idempotency-key': 'a b' } });
    expect(answer.code).toBe('invalid_request');
    expect(answer.details).toEqual([
      'query/x unknown_query_parameter',
      'header/Idempotency-Key invalid_format',
      '/name required',
      '/y unknown_field',
    ]);
  });

  test('a member that stands twice: the last counts', async () => {
    expect((await create('{"name":1,"name":"b"}')).json.data).toMatchObject({ body: { name: 'b' } });
  });

  test('a declared header reaches the handler', async () => {
    const answer = await create('{"name":"a"}', { 'Idempotency-Key': 'k1' });
    expect(answer.json.data).toMatchObject({ key: 'k1' });
  });

  test.each<[string, number]>([
    ['application/json', 201],
    ['Application/JSON; charset=UTF-8', 201],
    ['application/json; charset="utf-8"', 201],
    ['application/json; charset=iso-8859-1', 415],
    ['application/json; charset=utf-16', 415],
    ['application/json; charset=utf-8; charset=utf-16', 415],
    ['application/json; charset=utf-16; CHARSET = utf-8', 415],
    ['application/jsonx', 415],
    ['application/json, text/plain', 415],
    ['text/json', 415],
    ['json', 415],
  ])('content type %s', async (type, status) => {
    expect((await create('{"name":"a"}', { 'content-type': type })).status).toBe(status);
  });

  test('bytes that are not UTF-8 are refused, a byte order mark is ignored', async () => {
    const headers = { 'content-type': 'application/json' };
    const latin1 = Uint8Array.from(Buffer.from('{"name":"é"}', 'latin1'));
    expect((await call('POST', things, { headers, body: latin1 })).code).toBe('malformed_json');
    expect((await create('\ufeff{"name":"a"}')).status).toBe(201);
  });

  test('a body where none is expected, whatever its type', async () => {
    for (const type of ['application/json', 'text/plain', 'nonsense']) {
      const answer = await call('DELETE', things, { headers: { 'content-type': type }, body: '{}' });
      expect(answer.status).toBe(405);
    }
  });

  test('a compressed body counts after decompression', async () => {
    const send = (bytes: Buffer, encoding = 'gzip') =>
      ingest({
        body: Uint8Array.from(bytes),
        headers: { 'content-type': 'application/json', 'content-encoding': encoding },
      });
    const noise = JSON.stringify({ data: Array.from({ length: 100 }, (_, i) => Math.sin(i)) });
    expect((await send(gzipSync(noise))).json.data).toEqual({ count: 100 });
    expect((await send(gzipSync(noise), 'X-GZIP')).status).toBe(200);
    const large = gzipSync(JSON.stringify({ data: Array.from({ length: 100_000 }, (_, i) => Math.sin(i)) }));
    expect((await send(large)).code).toBe('body_too_large');
    const bomb = gzipSync(`{"data":[${' '.repeat(900_000)}]}`);
    const bombed = await send(bomb);
    expect([bombed.status, bombed.json.error.message]).toEqual([413, expect.stringContaining('grows more than')]);
    expect((await send(gzipSync(noise).subarray(0, 100))).code).toBe('malformed_json');
    expect((await send(Buffer.from(noise))).code).toBe('malformed_json');
    expect((await send(gzipSync(noise), 'br')).code).toBe('unsupported_media_type');
    expect((await send(gzipSync(noise), 'gzip, gzip')).code).toBe('unsupported_media_type');
    expect((await send(Buffer.from(noise), 'identity')).status).toBe(200);
    const plain = await create('{"name":"a"}', { 'content-encoding': 'gzip' });
    expect(plain.code).toBe('unsupported_media_type');
  });

  test('the rest of a refused body is read, so that its sender gets the answer', async () => {
    const body = Uint8Array.from(Buffer.alloc(8_000_000, ' '));
    const answer = await ingest({ body, headers: { 'content-type': 'application/json' } });
    expect(answer.code).toBe('body_too_large');
    expect((await ingest({ key: 'x', body })).code).toBe('invalid_credential');
  });
});
