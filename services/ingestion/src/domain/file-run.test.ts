import { expect, test } from 'vitest';
import { decideFileEnd, isFinished } from './file-run.js';

const counts = { rows: 4, points: 0, errors: 0, missing: 0, skipped: 0 };

test.each([
  ['nothing in it', counts, { state: 'succeeded' }],
  ['points alone', { ...counts, points: 4 }, { state: 'succeeded' }],
  ['points and errors', { ...counts, points: 3, errors: 1 }, { state: 'partially_succeeded' }],
  ['errors alone', { ...counts, errors: 4 }, { state: 'failed', code: 'file_unreadable' }],
])('a file with %s', (_, given, end) => {
  expect(decideFileEnd(given)).toEqual(end);
});

test('a file that was interrupted has not come to its end', () => {
  expect(isFinished({ state: 'running' })).toBe(false);
  expect(isFinished({ state: 'failed', code: 'file_interrupted' })).toBe(false);
  expect(isFinished({ state: 'failed', code: 'file_unreadable' })).toBe(true);
  expect(isFinished({ state: 'succeeded' })).toBe(true);
});
