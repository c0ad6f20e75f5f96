import { expect, test } from 'vitest';
import { isErrorCode, WeirError } from './index.js';

test('details are bounded', () => {
  const details = Array.from({ length: 60 }, (_, i) => ({
    path: `/data/${i}`,
    code: 'required',
    message: 'is missing',
  }));
  expect(new WeirError('invalid_request', 'faults', { details }).details).toHaveLength(50);
});

test('what every object has is no code', () => {
  expect(isErrorCode('toString')).toBe(false);
});
