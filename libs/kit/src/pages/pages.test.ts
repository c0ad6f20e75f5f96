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
