import { expect, test } from 'vitest';
import { errorCodes } from './codes.js';

/** What clients are promised: the codes of each status. */
const promised: Readonly<Record<number, readonly string[]>> = {
  400: [
    'invalid_request',
    'unknown_field',
    'unknown_query_parameter',
    'unexpected_body',
    'invalid_cursor',
    'malformed_json',
    'bad_request',
  ],
  401: ['unauthenticated', 'invalid_credential'],
  403: ['permission_denied', 'project_scope_mismatch'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: ['revision_conflict', 'lifecycle_conflict', 'dependency_conflict', 'name_conflict'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  429: ['rate_limited', 'concurrency_limited', 'query_too_large', 'response_too_large', 'cursor_too_large'],
  431: ['headers_too_large'],
  500: ['internal'],
  503: ['dependency_unavailable'],
};
/** The numbers of google.rpc.Code that mean a failure. */
const grpcStatuses = Array.from({ length: 16 }, (_, at) => at + 1);
/** What gRPC may retry by itself, and so means nothing else. */
const unavailable = 14;

test('G7: every code has one status of HTTP and one of gRPC, and every promised status its codes', () => {
  const byStatus = Object.groupBy(
    Object.keys(errorCodes) as (keyof typeof errorCodes)[],
    (code) => errorCodes[code].http,
  );
  expect(byStatus).toEqual(promised);
  for (const [code, { grpc, sentence }] of Object.entries(errorCodes)) {
    expect(grpcStatuses, code).toContain(grpc);
    expect(grpc === unavailable, code).toBe(code === 'dependency_unavailable');
    expect(sentence, code).toMatch(/\.$/);
  }
});
