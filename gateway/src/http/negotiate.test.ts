import { expect, test } from 'vitest';
import { acceptsGzip, negotiateType } from './negotiate.js';

const types = [
  { type: 'text/csv; charset=utf-8', example: '' },
  { type: 'application/x-ndjson', aliases: ['application/ndjson'], example: '' },
] as const;

test.each([
  [undefined, 'text/csv; charset=utf-8'],
  ['*/*', 'text/csv; charset=utf-8'],
  ['text/*', 'text/csv; charset=utf-8'],
  ['text/csv', 'text/csv; charset=utf-8'],
  ['image/png', 'text/csv; charset=utf-8'],
  ['', 'text/csv; charset=utf-8'],
  ['nonsense;;q=x,', 'text/csv; charset=utf-8'],
  ['application/x-ndjson;q=0', 'text/csv; charset=utf-8'],
  ['application/x-ndjson', 'application/x-ndjson'],
  ['Application/NDJSON; charset=utf-8', 'application/x-ndjson'],
  ['application/x-ndjson, */*', 'application/x-ndjson'],
  ['application/x-ndjson, */*;q=0.1', 'application/x-ndjson'],
  ['application/x-ndjson;q=0.5, text/csv;q=0.4', 'application/x-ndjson'],
  ['application/x-ndjson;q=0.5, text/csv', 'text/csv; charset=utf-8'],
  ['application/x-ndjson, text/csv', 'text/csv; charset=utf-8'],
  ['application/*', 'application/x-ndjson'],
])('Accept: %s gives %s', (accept, type) => {
  expect(negotiateType(accept, types)).toBe(type);
});

test.each([
  [undefined, false],
  ['', false],
  ['identity', false],
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['*', true],
  ['gzip;q=0, *', false],
])('Accept-Encoding: %s takes gzip: %s', (encoding, takes) => {
  expect(acceptsGzip(encoding)).toBe(takes);
});
