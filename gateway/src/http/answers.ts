import { type ErrorCode, errorCodes } from '@weir/kit/errors';
import type { Operation } from './operation.js';

/** The codes that the machine itself may answer for an operation, beside those of its handler. */
function machineCodes(operation: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['invalid_request', 'unknown_query_parameter', 'body_too_large', 'rate_limited'];
  if (operation.auth !== 'none') {
    codes.push('unauthenticated', 'invalid_credential', 'permission_denied', 'concurrency_limited');
    codes.push('internal', 'dependency_unavailable', 'response_too_large');
  }
  if ('project_id' in operation.params) codes.push('project_scope_mismatch');
  if ('cursor' in operation.query) codes.push('cursor_too_large', 'invalid_cursor');
  if (operation.upload !== undefined) codes.push('unsupported_media_type');
  else if (operation.body === undefined) codes.push('unexpected_body');
  else codes.push('unknown_field', 'malformed_json', 'unsupported_media_type');
  return codes;
}

/** Codes that every operation of the Developer API lists if it lists none of the status. */
const listed: readonly ErrorCode[] = ['not_found', 'revision_conflict', 'lifecycle_conflict', 'dependency_conflict'];

/**
 * Every code that an operation may answer, by HTTP status in ascending order: what the machine does, what
 * the declaration adds, and the statuses that all of the Developer API lists.
 */
export function codesByStatus(operation: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const codes = new Set([...machineCodes(operation), ...operation.errors]);
  if (operation.path.startsWith('/dev-api/')) {
    codes.add('method_not_allowed');
    const statuses = new Set([...codes].map((code) => errorCodes[code].http));
    if (operation.auth !== 'none') {
      for (const code of listed) if (!statuses.has(errorCodes[code].http)) codes.add(code);
    }
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { http } = errorCodes[code];
    const known = byStatus.get(http);
    if (known === undefined) byStatus.set(http, [code]);
    else known.push(code);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** Every code that the handler of an operation may throw: another one is a fault of its declaration. */
export function throwableCodes(operation: Operation): ReadonlySet<ErrorCode> {
  return new Set<ErrorCode>([...machineCodes(operation), ...operation.errors, 'internal', 'dependency_unavailable']);
}
