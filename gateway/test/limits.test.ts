import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { DeveloperPrincipal } from '../src/http/operation.js';
import { type Limiter, prefix, redisUrl, somebody, start } from './limiters.js';
import { startRedisProxy } from './redis-proxy.js';

/** Admits until refused; how many were admitted, and the refusal. */
async function exhaust(limiter: Limiter, principal: DeveloperPrincipal) {
  for (let admitted = 0; ; admitted++) {
    try {
      (await limiter.admit(principal)).release();
    } catch (error) {
      return { admitted, error: error as { code: string; retryAfterSeconds: number; headers: object } };
    }
  }
}

const slow = { LIMIT_DEVELOPER_REQUESTS_PER_SECOND: '1', LIMIT_DEVELOPER_REQUESTS_BURST: '20' };

describe('rates', () => {
  test('S10: are shared by gateways, and waiting as long as told is enough', async () => {
    await using one = await start(slow);
    await using other = await start(slow);
    const principal = somebody();
    const first = await one.admit(principal);
    expect(first.headers).toEqual({
      'RateLimit-Policy': '"requests";q=20;w=20',
      RateLimit: '"requests";r=19;t=1',
    });
    for (let i = 0; i < 9; i++) await other.admit(principal);
    const { admitted, error } = await exhaust(one, principal);
    expect(admitted).toBe(10);
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
      headers: { RateLimit: expect.stringMatching(/^"requests";r=0;t=(19|20)$/) },
    });
    await expect(other.admit(principal)).rejects.toMatchObject({ code: 'rate_limited' });
    await one.admit(somebody());
    await wait(1000);
    await other.admit(principal);
  });

  test('count what is refused before they are asked, and do not refuse it', async () => {
    await using limiter = await start(slow);
    const principal = somebody();
    await limiter.admit(principal);
    expect(await limiter.refused(principal)).toEqual({
      'RateLimit-Policy': '"requests";q=20;w=20',
      RateLimit: expect.stringMatching(/^"requests";r=18;t=[12]$/),
    });
    await exhaust(limiter, principal);
    expect(await limiter.refused(principal)).toMatchObject({
      RateLimit: expect.stringMatching(/^"requests";r=0;t=(19|20)$/),
    });
  });

  test('admit a burst and no more of those that come at once, at several gateways', async () => {
    await using one = await start(slow);
    await using other = await start(slow);
    const principal = somebody();
    const asked = Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? one : other).admit(principal));
    const settled = await Promise.allSettled(asked);
    const admitted = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.headers['RateLimit']] : []));
    expect(admitted.length).toBe(20);
    expect(new Set(admitted).size).toBe(20);
  });

  test('refuse a key without asking for as long as its refusal holds, and no longer', async () => {
    await using proxy = await startRedisProxy(redisUrl);
    await using limiter = await start({ ...slow, LIMIT_DEVELOPER_REQUESTS_BURST: '1', REDIS_URL: proxy.url });
    const principal = somebody();
    await limiter.admit(principal);
    await expect(limiter.admit(principal)).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    // who asks now gets no answer, and would be told by the share of this gateway
    proxy.setMode('hold');
    const asked = Array.from({ length: 50 }, () => limiter.admit(principal));
    const refused = (await Promise.allSettled(asked)).map((each) => each.status === 'rejected' && each.reason.code);
    expect(new Set(refused)).toEqual(new Set(['rate_limited']));
    expect(limiter.isDegraded).toBe(false);
    proxy.setMode('pass');
    await wait(1000);
    await limiter.admit(principal);
  });

  test('count failed credentials by address, and never refuse a key for them', async () => {
    await using limiter = await start({ LIMIT_FAILED_CREDENTIALS_BURST: '3' });
    const address = `2001:db8:${randomBytes(2).toString('hex')}:1::1`;
    for (let i = 0; i < 3; i++) await limiter.failedCredential(address);
    await expect(limiter.failedCredential(address.replace('::1', '::2'))).rejects.toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 1,
    });
    await limiter.admit(somebody());
  });

  test('leave nothing in Redis for longer than it means something', async () => {
    await using limiter = await start(slow);
    const principal = somebody();
    await limiter.admit(principal);
    await using redis = Object.assign(new Redis(redisUrl), {
      [Symbol.asyncDispose]: async () => void (await redis.quit()),
    });
    const remainingMs = await redis.pttl(`${prefix}:rate:developer:${principal.keyId}`);
    expect(remainingMs).toBeGreaterThan(0);
    expect(remainingMs).toBeLessThanOrEqual(1000);
  });
});

describe('places', () => {
  const three = { LIMIT_DEVELOPER_CONCURRENT_REQUESTS: '3' };

  test('of a key are shared by gateways, taken at once or one by one, and given back to all of them', async () => {
    await using one = await start(three);
    await using other = await start(three);
    const principal = somebody();
    const asked = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? one : other).admit(principal));
    const settled = await Promise.allSettled(asked);
    const admitted = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    expect(admitted).toHaveLength(3);
    expect(new Set(refused)).toEqual(new Set(['concurrency_limited']));
    for (const admission of admitted) admission.release();
    // whoever got them: all are free again to the other, at once
    const again = await Promise.all([other, other, other].map((limiter) => limiter.admit(principal)));
    await expect(one.admit(principal)).rejects.toMatchObject({ code: 'concurrency_limited', retryAfterSeconds: 1 });
    again[1]?.release();
    await one.admit(principal);
    await expect(other.admit(principal)).rejects.toMatchObject({ code: 'concurrency_limited' });
  });

  test('of an operation are places of its own', async () => {
    await using one = await start(three);
    await using other = await start(three);
    const principal = somebody();
    const exporting = { id: 'export', concurrentMax: 1 };
    const first = await one.admit(principal, exporting);
    await expect(other.admit(principal, exporting)).rejects.toThrow('requests of this operation');
    await other.admit(principal);
    await other.admit(principal, { id: 'another', concurrentMax: 1 });
    // no place of the operation is lost where one of the key is wanting
    await expect(other.admit(principal, { id: 'third', concurrentMax: 1 })).rejects.toThrow('3 requests of one key');
    first.release();
    await other.admit(principal, { id: 'third', concurrentMax: 1 });
  });

  test('are lost with what Redis knew, and told again', async () => {
    await using one = await start(three);
    await using other = await start(three);
    const principal = somebody();
    await Promise.all([one.admit(principal), one.admit(principal)]);
    await using redis = Object.assign(new Redis(redisUrl), {
      [Symbol.asyncDispose]: async () => void (await redis.quit()),
    });
    const key = `${prefix}:places:developer:${principal.keyId}`;
    expect(await redis.del(key)).toBe(1);
    await expect.poll(() => redis.exists(key), { timeout: 5000 }).toBe(1);
    await other.admit(principal);
    await expect(other.admit(principal)).rejects.toMatchObject({ code: 'concurrency_limited' });
  });

  test('leave nothing in Redis when all is given back', async () => {
    await using limiter = await start(three);
    const principal = somebody();
    const admission = await limiter.admit(principal);
    await using redis = Object.assign(new Redis(redisUrl), {
      [Symbol.asyncDispose]: async () => void (await redis.quit()),
    });
    const key = `${prefix}:places:developer:${principal.keyId}`;
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    admission.release();
    await expect.poll(() => redis.exists(key)).toBe(0);
  });
});

test('concurrent requests of a key have places, which are given back', async () => {
  await using limiter = await start({ LIMIT_DEVELOPER_CONCURRENT_REQUESTS: '2' });
  const principal = somebody();
  const first = await limiter.admit(principal);
  await limiter.admit(principal);
  await expect(limiter.admit(principal)).rejects.toMatchObject({
    code: 'concurrency_limited',
    retryAfterSeconds: 1,
    headers: { RateLimit: expect.stringMatching(/^"requests";r=[0-9]+;t=[0-9]+$/) },
  });
  await limiter.admit(somebody());
  first.release();
  await limiter.admit(principal);
});

describe('S9: without Redis', () => {
  const share = { ...slow, GATEWAY_REPLICAS: '4' };

  test.each(['hold', 'refuse'] as const)('a gateway limits by its share and returns (%s)', async (mode) => {
    await using proxy = await startRedisProxy(redisUrl);
    await using limiter = await start({ ...share, REDIS_URL: proxy.url });
    expect(limiter.isDegraded).toBe(false);
    proxy.setMode(mode);
    const principal = somebody();
    const startedMs = performance.now();
    const { admitted, error } = await exhaust(limiter, principal);
    expect(admitted).toBe(5);
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 4 });
    expect(performance.now() - startedMs).toBeLessThan(1000);
    expect(limiter.isDegraded).toBe(true);

    const brokenMs = performance.now();
    for (let i = 0; i < 100; i++) await limiter.admit(somebody());
    expect(performance.now() - brokenMs).toBeLessThan(200);

    if (mode === 'hold') await wait(1200); // longer than a silent connection is kept
    proxy.setMode('pass');
    await limiter.shared();
    expect(limiter.isDegraded).toBe(false);
    expect((await exhaust(limiter, somebody())).admitted).toBe(20);
  });

  test('a gateway has its share of the places, those that it gave before among them', async () => {
    await using proxy = await startRedisProxy(redisUrl);
    const eight = { LIMIT_DEVELOPER_CONCURRENT_REQUESTS: '8', GATEWAY_REPLICAS: '4' };
    await using other = await start(eight);
    await using limiter = await start({ ...eight, REDIS_URL: proxy.url });
    const principal = somebody();
    const before = await limiter.admit(principal);
    proxy.setMode('refuse');
    await limiter.admit(principal);
    const refused = { code: 'concurrency_limited', retryAfterSeconds: 1 };
    await expect(limiter.admit(principal)).rejects.toMatchObject(refused);
    before.release();
    await limiter.admit(principal);
    await expect(limiter.admit(principal)).rejects.toMatchObject(refused);
    await expect.poll(() => limiter.isDegraded).toBe(true);
    proxy.setMode('pass');
    await limiter.shared();
    // both that it let in alone are known to the others as soon as it tells
    await limiter.admit(principal);
    for (let i = 0; i < 5; i++) await other.admit(principal);
    await expect(other.admit(principal)).rejects.toMatchObject(refused);
  });

  test('a gateway starts', async () => {
    await using proxy = await startRedisProxy(redisUrl);
    proxy.setMode('refuse');
    await using limiter = await start({ ...share, REDIS_URL: proxy.url });
    expect(limiter.isDegraded).toBe(true);
    expect((await exhaust(limiter, somebody())).admitted).toBe(5);
    proxy.setMode('pass');
    await limiter.shared();
  });
});
