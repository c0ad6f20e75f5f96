import { expect, test } from 'vitest';
import { cutPage, parsePage } from './index.js';

const id = '01920000-0000-7000-8000-00000000a400';

test('reads one record more than asked, after the one given', () => {
  expect(parsePage({ limit: 50, after: id })).toEqual({ after: id, readMax: 51 });
  expect(parsePage({ limit: 1, after: '' }).after < id).toBe(true);
});

test.each([
  [{ limit: 0, after: '' }, '/limit'],
  [{ limit: 1001, after: '' }, '/limit'],
  [{ limit: 1.5, after: '' }, '/limit'],
  [{ limit: 1, after: 'x' }, '/after'],
])('refuses %j', (request, path) => {
  expect(() => parsePage(request)).toThrow(
    expect.objectContaining({ code: 'invalid_request', details: [expect.objectContaining({ path })] }),
  );
});

test('tells where the next page begins, when there is one', () => {
  expect(cutPage(['a', 'b', 'c'], 3, (record) => record)).toEqual({ records: ['a', 'b'], nextAfter: 'b' });
  expect(cutPage(['a', 'b'], 3, (record) => record)).toEqual({ records: ['a', 'b'], nextAfter: '' });
  expect(cutPage([], 3, String)).toEqual({ records: [], nextAfter: '' });
});

test('ends before what would make it too heavy, but has one record at least', () => {
  const weighed = (weights: readonly number[], readMax: number) =>
    cutPage(weights, readMax, String, { of: (weight) => weight, max: 10 });
  expect(weighed([4, 6, 1], 9)).toEqual({ records: [4, 6], nextAfter: '6' });
  expect(weighed([4, 6], 9)).toEqual({ records: [4, 6], nextAfter: '' });
  expect(weighed([11, 1], 9)).toEqual({ records: [11], nextAfter: '11' });
  expect(weighed([11], 9)).toEqual({ records: [11], nextAfter: '' });
  expect(weighed([1, 2, 3], 3)).toEqual({ records: [1, 2], nextAfter: '2' });
});
