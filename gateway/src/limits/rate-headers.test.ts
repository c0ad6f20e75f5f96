import { expect, test } from 'vitest';
import { rateHeaders, retryAfterSeconds } from './rate-headers.js';

test('writes structured fields', () => {
  const decision = { isAllowed: true, remaining: 998, retryAfterUs: 0, resetUs: 10_000 };
  expect(rateHeaders('requests', { perSecond: 200, burst: 1000 }, decision)).toEqual({
    'RateLimit-Policy': '"requests";q=1000;w=5',
    RateLimit: '"requests";r=998;t=1',
  });
});

test('waits whole seconds, at least one', () => {
  expect([0, 1, 1_000_000, 1_000_001].map(retryAfterSeconds)).toEqual([1, 1, 1, 2]);
});
