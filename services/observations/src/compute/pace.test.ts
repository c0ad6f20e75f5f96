import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pace } from './pace.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test('does less at once where that takes too long, and more again where it does not', async () => {
  const pace = new Pace(100);
  const take = (ms: number) =>
    pace.measure(pace.next(), () => {
      vi.advanceTimersByTime(ms);
      return Promise.resolve();
    });
  await take(500);
  expect(pace.next()).toBe(100);
  await take(1000);
  await take(1000);
  expect(pace.next()).toBe(25);
  await expect(pace.measure(25, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(pace.next()).toBe(12);
  for (let i = 0; i < 10; i++) await take(2000);
  expect(pace.next()).toBe(1);
  for (let i = 0; i < 10; i++) await take(10);
  expect(pace.next()).toBe(100);
});
