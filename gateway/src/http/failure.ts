import { type ErrorCode, errorCodes, WeirError } from '@weir/kit/errors';
import { errorText, internalError } from './envelope.js';
import type { Exchange } from './exchange.js';
import { LimitError } from './ports.js';

/** The headers that an error needs by its status. */
function headersOf(error: WeirError): Record<string, string> {
  const headers: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  const { http } = errorCodes[error.code];
  if (http === 401) {
    const reason = error.code === 'unauthenticated' ? 'invalid_request' : 'invalid_token';
    headers['WWW-Authenticate'] = `Bearer realm="weir", error="${reason}"`;
  }
  if (http === 429 || http === 503) {
    headers['Retry-After'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1)));
  }
  return headers;
}

/** HTTP status of a code. */
function statusOf(code: ErrorCode): number {
  return errorCodes[code].http;
}

/** Answers an error as the public envelope; what is none of ours shows nothing of itself. */
export function sendError(exchange: Exchange, thrown: unknown): void {
  const error = thrown instanceof WeirError && thrown.code !== 'internal' ? thrown : internalError;
  if (error instanceof LimitError) Object.assign(exchange.headers, error.headers);
  exchange.send(statusOf(error.code), headersOf(error), errorText(exchange.requestId, error));
}
