import type { ErrorCode } from './codes.js';

/** One fault inside an error. */
export interface ErrorDetail {
  /** JSON Pointer into the body (`/data/3/site_id`), or `query/limit`, `path/widget_id`, `header/Idempotency-Key`. */
  readonly path: string;
  /** Stable snake_case name of the fault. */
  readonly code: string;
  /** For a person: what is wrong and what to do. */
  readonly message: string;
}

/** At most this many details are told at once. */
export const errorDetailsMax = 50;

/** What a person is told of faults: the one that there is, or how many. */
export function faultsMessage(details: readonly ErrorDetail[]): string {
  const [first, ...others] = details;
  if (first !== undefined && others.length === 0)
    return first.path === '' ? first.message : `${first.path}: ${first.message}`;
  const count = details.length < errorDetailsMax ? details.length : `${errorDetailsMax} or more`;
  return `The request has ${count} faults; correct those that the details name.`;
}

/** What a WeirError carries besides its code and message. */
export interface WeirErrorOptions {
  readonly details?: readonly ErrorDetail[];
  readonly retryAfterSeconds?: number;
  /** For the log only; never leaves the process. */
  readonly cause?: unknown;
}

/**
 * The one error that crosses every wire unchanged: thrown in a service, carried by gRPC, rendered
 * as the public envelope by the gateway. Whatever else is thrown is `internal` and shows nothing.
 */
export class WeirError extends Error {
  override readonly name = 'WeirError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: WeirErrorOptions = {}) {
    // a refusal is an answer: where it was made tells nothing, and a trace costs more than all the rest of one
    const { stackTraceLimit } = Error;
    if (code !== 'internal') Error.stackTraceLimit = 0;
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = (options.details ?? []).slice(0, errorDetailsMax);
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The error for a dependency that does not answer. `retryAfterSeconds` is 1 unless given. */
export function unavailable(message: string, cause?: unknown, retryAfterSeconds = 1): WeirError {
  return new WeirError('dependency_unavailable', message, { retryAfterSeconds, cause });
}

/** The error for a record that is not there, or not for the caller. */
export function notFound(what: string): WeirError {
  return new WeirError('not_found', `There is no such ${what}.`);
}

/** The error for one fault, of which a person is told nothing else. */
export function faultError(code: ErrorCode, fault: ErrorDetail): WeirError {
  return new WeirError(code, fault.message, { details: [fault] });
}
