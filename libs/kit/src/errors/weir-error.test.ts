import { expect, test } from 'vitest';
import { errorCodes, isErrorCode, WeirError } from './index.js';

test('details are bounded', () => {
  const details = Array.from({ length: 60 }, (_, i) => ({
    path: `/data/${i}`,
    code: 'required',
    message: 'is missing',
  }));
  expect(new WeirError('invalid_request', 'faults', { details }).details).toHaveLength(50);
});

test('every code has an HTTP status, a gRPC status and a sentence', () => {
  for (const [code, entry] of Object.entries(errorCodes)) {
    expect(entry.http, code).toBeGreaterThanOrEqual(400);
    expect(entry.grpc, code).toBeGreaterThan(0);
    expect(entry.sentence, code).toMatch(/\.$/);
  }
  expect(isErrorCode('toString')).toBe(false);
});
