import { newId } from '@weir/kit/ids';
import { createKey } from '@weir/kit/keys';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rawRequest } from './raw-request.js';
import { startWithFakes } from './start-with-fakes.js';

const permissions = ['developer_api.runs.list'];

test('S1: a key is remembered, and its revocation takes effect within a second', async () => {
  await using gateway = await startWithFakes();
  const { fakes } = gateway;
  const key = fakes.developerKey(permissions);
  const list = () => gateway.call('GET', `/dev-api/v1/p/${fakes.projectId}/runs`, { key });
  const first = await Promise.all(Array.from({ length: 20 }, list));
  expect(first.map(({ status }) => status)).toEqual(first.map(() => 200));
  expect(fakes.lookups.length).toBeLessThan(first.length);
  fakes.revoke(key);
  const revokedMs = performance.now();
  let beganMs = 0;
  let answer = await list();
  while (answer.status === 200) {
    // what began within the second may still be answered after it
    expect(beganMs).toBeLessThan(1000);
    beganMs = performance.now() - revokedMs;
    answer = await list();
  }
  expect([answer.status, answer.json.error.code]).toEqual([401, 'invalid_credential']);
  expect(JSON.stringify(answer.json)).not.toContain('a reason that nobody shall see');
});

test('S2, S4: what is no key of this kind is never asked about', async () => {
  await using gateway = await startWithFakes({ LIMIT_FAILED_CREDENTIALS_BURST: '1000' });
  const { fakes } = gateway;
  const developer = fakes.developerKey(permissions);
  const ingestion = fakes.connectionKey();
  const runs = `/dev-api/v1/p/${fakes.projectId}/runs`;
  for (const [path, key] of [
    [runs, ingestion],
    ['/v1/ingest/runs', developer],
    [runs, `${developer.slice(0, -1)}_`],
    [runs, 'x'.repeat(10_000)],
  ] as const) {
    const { status, json } = await gateway.call('GET', path, { key });
    expect([status, json.error.code]).toEqual([401, 'invalid_credential']);
  }
  expect(fakes.lookups).toEqual([]);
});

test('S2: ten thousand texts that are no keys reach neither the access service nor its database', async () => {
  await using gateway = await startWithFakes({ LIMIT_FAILED_CREDENTIALS_BURST: '1000000' });
  const { fakes } = gateway;
  const { plaintext } = createKey('developer', newId());
  const visible = fc.string({ unit: fc.constantFrom(...'ABCabc019_-.~+/='), minLength: 1, maxLength: 100 });
  const changed = fc
    .tuple(fc.nat(plaintext.length - 1), fc.constantFrom(...'ABCXYZabcxyz0189_-'))
    .map(([at, other]) => plaintext.slice(0, at) + other + plaintext.slice(at + 1))
    .filter((text) => text !== plaintext);
  const unchecked = fc
    .tuple(fc.constantFrom('dev', 'ing'), fc.stringMatching(/^[0-9a-f]{32}_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/))
    .map(([kind, rest]) => `weir_${kind}_${rest}`);
  const texts = fc.sample(fc.oneof(visible, changed, unchecked), 10_000);
  const perConnection = 500;
  const statuses: number[] = [];
  for (let from = 0; from < texts.length; from += perConnection) {
    const requests = texts.slice(from, from + perConnection).map((text, at) => {
      const end = at === perConnection - 1 ? 'Connection: close\r\n' : '';
      return `GET /v1/ingest/runs HTTP/1.1\r\nHost: weir\r\nAuthorization: Bearer ${text}\r\n${end}\r\n`;
    });
    const answers = await rawRequest(Number(new URL(gateway.url).port), [requests.join('')]);
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(statuses).toEqual(texts.map(() => 401));
  expect(fakes.lookups).toEqual([]);
});

test('an address that fails too often is told to wait, and a valid key is not', async () => {
  await using gateway = await startWithFakes({ LIMIT_FAILED_CREDENTIALS_BURST: '3' });
  const { fakes } = gateway;
  const runs = `/dev-api/v1/p/${fakes.projectId}/runs`;
  const unknown = createKey('developer', newId()).plaintext;
  const answers = [];
  for (let i = 0; i < 4; i++) answers.push(await gateway.call('GET', runs, { key: unknown }));
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 429]);
  expect(answers[3]?.headers.get('retry-after')).toBe('1');
  expect((await gateway.call('GET', runs)).status).toBe(429);
  expect((await gateway.call('GET', runs, { key: fakes.developerKey(permissions) })).status).toBe(200);
});

test('a limit of a key is told with headers', async () => {
  await using gateway = await startWithFakes({
    LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '1',
    LIMIT_DEVELOPER_REQUESTS_BURST: '2',
  });
  const { fakes } = gateway;
  const key = fakes.developerKey(permissions);
  const list = () => gateway.call('GET', `/dev-api/v1/p/${fakes.projectId}/runs`, { key });
  expect((await list()).headers.get('ratelimit')).toBe('"requests";r=1;t=1');
  await list();
  const refused = await list();
  expect([refused.status, refused.json.error.code]).toEqual([429, 'rate_limited']);
  expect(refused.headers.get('ratelimit-policy')).toBe('"requests";q=2;w=2');
  expect(refused.headers.get('ratelimit')).toBe('"requests";r=0;t=2');
  expect(Number(refused.headers.get('retry-after'))).toBe(1);
});

test('without the access service keys cannot be told, which is 503', async () => {
  await using gateway = await startWithFakes();
  const { fakes } = gateway;
  const key = fakes.developerKey(permissions);
  await gateway.stopAccess();
  const { status, json, headers } = await gateway.call('GET', `/dev-api/v1/p/${fakes.projectId}/runs`, { key });
  expect([status, json.error.code]).toEqual([503, 'dependency_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
});
