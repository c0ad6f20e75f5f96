import { expect, test } from 'vitest';
import { idTimeUs, isId, newId } from './index.js';

test('ids of a process are different, in order, and of their time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 5000 }, newId);
  expect(ids.every(isId)).toBe(true);
  expect(ids.every((id) => id[14] === '7' && '89ab'.includes(id[19] as string))).toBe(true);
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(idTimeUs(ids[0] as string)).toBeGreaterThanOrEqual(before * 1000);
});

test('what an id is drawn from is used once', () => {
  const ends = new Set(Array.from({ length: 1000 }, () => newId().slice(-10)));
  expect(ends.size).toBe(1000);
});
