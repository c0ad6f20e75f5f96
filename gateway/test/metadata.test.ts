import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

let gateway: Awaited<ReturnType<typeof startWithFakes>>;
beforeAll(async () => {
  gateway = await startWithFakes({ LIMIT_PUBLIC_REQUESTS_PER_SECOND: '1', LIMIT_PUBLIC_REQUESTS_BURST: '40' });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

test.each(['/dev-api/v1/openai.json', '/dev-api/v1/docs'])(
  '%s has a strong tag and is not sent again',
  async (path) => {
    const first = await fetch(gateway.url + path);
    const etag = first.headers.get('etag') ?? '';
    expect(first.status).toBe(200);
    expect(etag).toMatch(/^"[A-Za-z0-9_-]+"$/);
    expect(first.headers.get('cache-control')).toBe('public, max-age=60');
    expect(first.headers.get('ratelimit-policy')).toBe('"address";q=40;w=40');
    expect((await first.text()).length).toBeGreaterThan(10_000);
    for (const sent of [etag, `W/${etag}`, '*', `"other", ${etag}`, ` ${etag} `]) {
      const again = await fetch(gateway.url + path, { headers: { 'if-none-match': sent } });
      expect([sent, again.status, await again.text()]).toEqual([sent, 304, '']);
      expect(again.headers.get('etag')).toBe(etag);
      expect(again.headers.get('cache-control')).toBe('public, max-age=60');
      expect(again.headers.get('x-request-id')).not.toBeNull();
      expect(again.headers.get('ratelimit')).toMatch(/^"address";r=[0-9]+;t=[0-9]+$/);
      expect(again.headers.get('content-type')).toBeNull();
    }
    for (const sent of ['"other"', etag.slice(1, -1), 'W/"other"']) {
      const again = await fetch(gateway.url + path, { headers: { 'if-none-match': sent } });
      expect([sent, again.status]).toEqual([sent, 200]);
      await again.body?.cancel();
    }
    const head = await fetch(gateway.url + path, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
  },
);

test('the page may load nothing', async () => {
  const { headers } = await fetch(`${gateway.url}/dev-api/v1/docs`);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; /);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.get('x-frame-options')).toBe('DENY');
});

test('introspection tells whose key it is and what it may do', async () => {
  const { fakes } = gateway;
  const key = fakes.developerKey(['developer_api.runs.read', 'developer_api.runs.list']);
  const { status, json } = await gateway.call('GET', '/dev-api/v1/permissions', { key });
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    project_id: fakes.projectId,
    key: { name: expect.any(String), created_at: expect.stringMatching(/Z$/) },
    permissions: ['developer_api.runs.list', 'developer_api.runs.read'],
  });
});

test('what needs no key is limited by address', async () => {
  const answers = await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { status, headers, body } = await fetch(`${gateway.url}/dev-api/v1/docs`);
      await body?.cancel();
      return { status, retryAfter: headers.get('retry-after') };
    }),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(15);
  for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  expect((await fetch(`${gateway.url}/livez`)).status).toBe(200);
});
