import { expect, test } from 'vitest';
import type { Decision } from './gcra.js';
import { Plenty } from './plenty.js';

const rate = { perSecond: 1, burst: 100 };
const left = (remaining: number): Decision => ({ isAllowed: remaining > 0, remaining, retryAfterUs: 0, resetUs: 0 });

test('plenty is left while more than half of a burst is, less what was asked for since', async () => {
  const plenty = new Plenty();
  expect(plenty.isLeft('a', rate)).toBe(false);
  await plenty.watch('a', Promise.resolve(left(52)));
  expect(plenty.isLeft('a', rate)).toBe(true);
  expect(plenty.isLeft('b', rate)).toBe(false);
  const { promise, resolve } = Promise.withResolvers<Decision>();
  const first = plenty.watch('a', promise);
  expect(plenty.isLeft('a', rate)).toBe(true);
  const second = plenty.watch('a', promise);
  expect(plenty.isLeft('a', rate)).toBe(false);
  resolve(left(51));
  await Promise.all([first, second]);
  expect(plenty.isLeft('a', rate)).toBe(true);
});

test('what was left a while ago says nothing, nor does what could not be asked', async () => {
  const plenty = new Plenty();
  await plenty.watch('a', Promise.resolve(left(100)));
  expect(plenty.isLeft('a', rate, performance.now() + 100)).toBe(false);
  await expect(plenty.watch('b', Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(plenty.isLeft('b', rate)).toBe(false);
});
