import { expect, test } from 'vitest';
import { LimitError } from './ports.js';
import { publicLimit } from './public-limit.js';

test('a burst passes, then the rate, each address for itself; waiting as long as told is enough', () => {
  let nowMs = 0;
  const admit = publicLimit(2, 3, () => nowMs);
  const refusal = (address: string): LimitError | undefined => {
    try {
      admit(address);
      return undefined;
    } catch (error) {
      if (error instanceof LimitError) return error;
      throw error;
    }
  };
  expect([1, 2, 3].map(() => refusal('a'))).toEqual([undefined, undefined, undefined]);
  const refused = refusal('a');
  expect([refused?.code, refused?.retryAfterSeconds]).toEqual(['rate_limited', 1]);
  expect(refused?.headers).toEqual({ 'RateLimit-Policy': '"address";q=3;w=2', RateLimit: '"address";r=0;t=2' });
  expect(admit('b')).toEqual({ 'RateLimit-Policy': '"address";q=3;w=2', RateLimit: '"address";r=2;t=1' });
  nowMs += 1000;
  expect([refusal('a'), refusal('a')]).toEqual([undefined, undefined]);
  expect(refusal('a')).toBeInstanceOf(LimitError);
  nowMs += 1_000_000;
  expect([1, 2, 3].map(() => refusal('a'))).toEqual([undefined, undefined, undefined]);
  expect(refusal('a')).toBeInstanceOf(LimitError);
});
