import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LimitError } from '../src/http/ports.js';
import { callMachine, type MachineCall, things } from './call-machine.js';
import { otherProjectId, projectId, startMachine } from './start-machine.js';

let machine: Awaited<ReturnType<typeof startMachine>>;
beforeAll(async () => {
  machine = await startMachine();
});
afterAll(async () => {
  await machine[Symbol.asyncDispose]();
});

const call = (method: string, path: string, request?: MachineCall) => callMachine(machine.url, method, path, request);

describe('answers', () => {
  test('a success is the envelope around data, and not to be stored', async () => {
    const answer = await call('GET', `${things}?limit=7&include_archived=true&ids=a,b`);
    expect(answer.status).toBe(200);
    expect(answer.json.data).toEqual({ limit: 7, include_archived: true, ids: ['a', 'b'] });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('ratelimit')).toBe('"requests";r=1;t=1');
  });

  test('JSON text goes into the envelope as it is', async () => {
    expect((await call('GET', `${things}/text`)).json.data).toEqual({ id: 'text' });
  });

  test("S19: a caller's request id is kept when it is a fitting one", async () => {
    const keyText = `weir_dev_${'0'.repeat(32)}_${'x'.repeat(43)}_000000`;
    for (const [sent, isKept] of [
      ['abc-1.2_Z', true],
      ['x'.repeat(128), true],
      ['x'.repeat(129), false],
      ['a b', false],
      ['a"b', false],
      [keyText, false],
      [keyText.replaceAll('_', '.'), false],
      [keyText.replaceAll('_', '-'), false],
      [`request.${keyText}`, false],
      [keyText.replace('weir', 'other'), true],
    ] as const) {
      const { json } = await call('GET', things, { headers: { 'x-request-id': sent } });
      expect(json.request_id === sent).toBe(isKept);
    }
  });

  test('HEAD is GET without the body', async () => {
    const get = await fetch(machine.url + things, { headers: { authorization: 'Bearer dev' } });
    const head = await fetch(machine.url + things, { method: 'HEAD', headers: { authorization: 'Bearer dev' } });
    expect(head.status).toBe(200);
    expect(await head.text()).toBe('');
    expect(head.headers.get('content-length')).toBe(String((await get.arrayBuffer()).byteLength));
    expect((await call('HEAD', things, { key: '' })).status).toBe(401);
  });

  test('OPTIONS tells the methods of a known path, without a key', async () => {
    const answer = await call('OPTIONS', things, { key: '' });
    expect(answer.status).toBe(204);
    expect(answer.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    expect((await call('OPTIONS', '/nowhere', { key: '' })).status).toBe(404);
  });
});

describe('order of checks', () => {
  test.each<[string, string, string, MachineCall, number, string | undefined]>([
    ['an unknown path', 'GET', '/nowhere', { key: '' }, 404, 'not_found'],
    ['a trailing slash', 'GET', `${things}/`, { key: '' }, 404, 'not_found'],
    ['another case', 'GET', things.toUpperCase(), { key: '' }, 404, 'not_found'],
    ['an unknown method', 'DELETE', things, { key: '' }, 405, 'method_not_allowed'],
    ['a HEAD where there is no GET', 'HEAD', '/v1/ingest', { key: '' }, 405, undefined],
    ['no key', 'GET', '/dev-api/v1/p/%20/things', { key: '' }, 401, 'unauthenticated'],
    ['a wrong key', 'GET', `${things}?nonsense=1`, { key: 'x' }, 401, 'invalid_credential'],
    ['a key of the wrong kind', 'GET', things, { key: 'ing' }, 401, 'invalid_credential'],
    ['a Developer API key at the ingestion', 'POST', '/v1/ingest', { key: 'dev', json: {} }, 401, 'invalid_credential'],
    ['a blank project', 'GET', '/dev-api/v1/p/%20/things', { key: 'dev-none' }, 400, 'invalid_request'],
    ['a long project', 'GET', `/dev-api/v1/p/${'x'.repeat(129)}/things`, {}, 400, 'invalid_request'],
    [
      'another project',
      'GET',
      `/dev-api/v1/p/${otherProjectId}/things`,
      { key: 'dev-none' },
      403,
      'project_scope_mismatch',
    ],
    ['a project in upper case', 'GET', things.replace(projectId, projectId.toUpperCase()), {}, 200, undefined],
    ['a key of another project', 'GET', things, { key: 'dev-other' }, 403, 'project_scope_mismatch'],
    ['a missing permission', 'POST', things, { key: 'dev-none', body: 'x' }, 403, 'permission_denied'],
    ['a disabled connection', 'POST', '/v1/ingest', { key: 'ing-off', body: 'x' }, 403, 'permission_denied'],
    ['no content type', 'POST', `${things}?x=1`, {}, 415, 'unsupported_media_type'],
    ['a wrong content type', 'POST', things, { body: 'x'.repeat(2000) }, 415, 'unsupported_media_type'],
    ['a body too large', 'POST', `${things}?x=1`, { json: { name: 'x'.repeat(2000) } }, 413, 'body_too_large'],
    ['a broken query', 'POST', `${things}?x=1`, { json: { name: 'a' } }, 400, 'unknown_query_parameter'],
    ['nothing there', 'GET', `${things}/none`, {}, 404, 'not_found'],
  ])('%s', async (_, method, path, request, status, code) => {
    const answer = await call(method, path, request);
    expect([answer.status, answer.code]).toEqual([status, code]);
    if (status === 405) expect(answer.headers.get('allow')).toMatch(/^(GET, HEAD, )?OPTIONS, POST$/);
    if (status === 401) {
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer realm="weir", error="${request.key === '' ? 'invalid_request' : 'invalid_token'}"`,
      );
    }
  });

  test('limits stand between rights and the body', async () => {
    machine.limiter.refuse = new LimitError('rate_limited', 'Slow down.', { headers: { RateLimit: 'none' } });
    try {
      expect((await call('POST', things, { key: 'dev-none' })).status).toBe(403);
      const answer = await call('POST', things);
      expect([answer.status, answer.code]).toEqual([429, 'rate_limited']);
      expect(answer.headers.get('retry-after')).toBe('1');
      expect(answer.headers.get('ratelimit')).toBe('none');
    } finally {
      machine.limiter.refuse = undefined;
    }
  });

  test('calls with a valid key that are refused before limits are charged to it, and told what is left', async () => {
    for (const [method, path, key, status] of [
      ['GET', '/dev-api/v1/p/%20/things', 'dev-none', 400],
      ['GET', things, 'dev-other', 403],
      ['POST', things, 'dev-none', 403],
      ['POST', '/v1/ingest', 'ing-off', 403],
    ] as const) {
      const before = machine.limiter.refusals.length;
      const answer = await call(method, path, { key });
      expect([answer.status, answer.headers.get('ratelimit')]).toEqual([status, '"requests";r=0;t=1']);
      expect(machine.limiter.refusals.length - before).toBe(1);
    }
  });

  test('calls without a valid key are charged to their address', async () => {
    const before = machine.limiter.failures.length;
    await call('GET', things, { key: '' });
    await call('GET', things, { key: 'x' });
    expect(machine.limiter.failures.slice(before)).toEqual(['127.0.0.1', '127.0.0.1']);
  });
});

describe('faults of our own', () => {
  test('show nothing', async () => {
    const answer = await call('GET', `${things}/broken`);
    expect([answer.status, answer.code]).toEqual([500, 'internal']);
    expect(JSON.stringify(answer.json)).not.toContain('secret');
  });

  test('an answer that is not declared fails outside production', async () => {
    expect((await call('GET', `${things}/undeclared`)).code).toBe('internal');
    expect((await call('GET', `${things}/wrong`)).code).toBe('internal');
    await using production = await startMachine({ undeclared: 'report' });
    const get = (id: string) => fetch(`${production.url}${things}/${id}`, { headers: { authorization: 'Bearer dev' } });
    expect((await get('undeclared')).status).toBe(409);
    expect((await get('wrong')).status).toBe(200);
  });

  test('a deadline that passes is 503, whether the handler hears of it or not', async () => {
    for (const id of ['slow', 'deaf']) {
      const answer = await call('GET', `${things}/${id}`);
      expect([answer.status, answer.code, answer.headers.get('retry-after')]).toEqual([
        503,
        'dependency_unavailable',
        '1',
      ]);
    }
    expect((await call('GET', `${things}/away`)).headers.get('retry-after')).toBe('7');
    await expect.poll(() => machine.limiter.inProgress).toBe(0);
  });
});
