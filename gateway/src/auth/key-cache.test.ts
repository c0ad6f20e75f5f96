import { expect, test } from 'vitest';
import { KeyCache, keyCacheTtlMs } from './key-cache.js';

/** A cache with a clock of its own, and a count of lookups. */
function cacheOf(max: number, answer: (signal: AbortSignal) => Promise<string>) {
  let nowMs = 0;
  let lookups = 0;
  const cache = new KeyCache<string>(max, () => nowMs);
  return {
    get: (key: string, caller = new AbortController()) =>
      cache.get({ keyId: key, secretSha256: Buffer.from(key) }, caller, (signal) => {
        lookups++;
        return answer(signal);
      }),
    later: (ms: number) => {
      nowMs += ms;
    },
    lookups: () => lookups,
  };
}

test('remembers an accepted key, counted from the beginning of its lookup', async () => {
  const { get, later, lookups } = cacheOf(10, () => {
    later(400);
    return Promise.resolve('somebody');
  });
  expect(await get('key')).toBe('somebody');
  later(keyCacheTtlMs - 401);
  await get('key');
  expect(lookups()).toBe(1);
  later(1);
  await get('key');
  expect(lookups()).toBe(2);
});

test('concurrent requests share one lookup', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { get, lookups } = cacheOf(10, () => promise);
  const all = Array.from({ length: 50 }, () => get('key'));
  resolve('somebody');
  expect(new Set(await Promise.all(all))).toEqual(new Set(['somebody']));
  expect(lookups()).toBe(1);
});

test('a lookup that takes long is not joined by later requests', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { get, later, lookups } = cacheOf(10, () => promise);
  const first = get('key');
  later(keyCacheTtlMs);
  const second = get('key');
  resolve('somebody');
  await Promise.all([first, second]);
  expect(lookups()).toBe(2);
});

test('a lookup is called off when all who wait for it are gone, and later requests make their own', async () => {
  const signals: AbortSignal[] = [];
  const { get, lookups } = cacheOf(10, (signal) => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  });
  const [one, two] = [new AbortController(), new AbortController()];
  const both = [get('key', one), get('key', two)];
  one.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  two.abort();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  const later = get('key', new AbortController());
  for (const gone of both) await expect(gone).rejects.toBe(two.signal.reason);
  expect([lookups(), signals[1]?.aborted]).toEqual([2, false]);
  const again = get('key', new AbortController());
  expect([again === later, lookups()]).toEqual([true, 2]);
});

test('who leaves after the answer takes nothing from those who come later', async () => {
  const { get, lookups } = cacheOf(10, () => Promise.resolve('somebody'));
  const caller = new AbortController();
  await get('key', caller);
  caller.abort();
  expect([await get('key'), lookups()]).toEqual(['somebody', 1]);
});

test('does not remember a refusal', async () => {
  const { get, lookups } = cacheOf(10, () => Promise.reject(new Error('refused')));
  await expect(get('key')).rejects.toThrow('refused');
  await expect(get('key')).rejects.toThrow('refused');
  expect(lookups()).toBe(2);
});

test('forgets what was used least lately', async () => {
  const { get, lookups } = cacheOf(2, () => Promise.resolve('somebody'));
  for (const key of ['a', 'b', 'a', 'c', 'a']) await get(key);
  expect(lookups()).toBe(3);
  await get('b');
  expect(lookups()).toBe(4);
});
