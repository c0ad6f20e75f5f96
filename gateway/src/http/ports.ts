import { type ErrorCode, WeirError, type WeirErrorOptions } from '@weir/kit/errors';
import type { DeveloperPrincipal, IngestionPrincipal } from './operation.js';

/** What the machine knows of a request before its key was read. */
export interface Caller {
  /** IP address of the client; of the client behind the proxies when those are trusted. */
  readonly address: string;
  readonly requestId: string;
  /** Aborted when the client went away or the time of the request is up. */
  readonly signal: AbortSignal;
}

/** The header values that may carry a key; the machine has refused a request where one of them stands twice. */
export interface CredentialHeaders {
  readonly authorization: string | undefined;
  readonly xApiKey: string | undefined;
}

/**
 * Tells whose key a request carries.
 *
 * Both methods throw WeirError: `unauthenticated` when there is no key at all, `invalid_credential` for
 * one that is malformed, unknown, revoked, expired or of the wrong kind, `dependency_unavailable` when
 * that cannot be told. Nothing is charged here: the machine calls `Limiter.failedCredential` for the first two.
 */
export interface Authenticator {
  /** Reads `Authorization: Bearer` alone; an `X-API-Key` is not looked at. */
  developer(headers: CredentialHeaders, caller: Caller): Promise<DeveloperPrincipal>;
  /** Reads `X-API-Key` or `Authorization: Bearer`; two different keys are `invalid_credential`. */
  ingestion(headers: CredentialHeaders, caller: Caller): Promise<IngestionPrincipal>;
}

/** A request that was let in. */
export interface Admission {
  /** `RateLimit` and `RateLimit-Policy`, put on the answer whatever it is. */
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request's place among the concurrent ones. Called exactly once, when the answer has ended. */
  release(): void;
}

/** Rates and concurrency. */
export interface Limiter {
  /**
   * Lets one request of a key in.
   *
   * @throws LimitError `rate_limited` or `concurrency_limited`
   */
  admit(
    principal: DeveloperPrincipal | IngestionPrincipal,
    operation: { readonly id: string; readonly concurrentMax?: number },
  ): Promise<Admission>;
  /**
   * Counts a request of a key that is refused before its limits are asked. They do not refuse it: what it is told
   * comes before them.
   *
   * @returns `RateLimit` and `RateLimit-Policy`
   */
  refused(principal: DeveloperPrincipal | IngestionPrincipal): Promise<Readonly<Record<string, string>>>;
  /**
   * Charges a call without a valid key to its address.
   *
   * @throws LimitError `rate_limited` when the address has failed too often; else the caller gets its 401
   */
  failedCredential(address: string): Promise<void>;
}

/** A refusal by a limit; carries the same headers as an admission does. */
export class LimitError extends WeirError {
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: Extract<ErrorCode, 'rate_limited' | 'concurrency_limited'>,
    message: string,
    options: WeirErrorOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(code, message, options);
    this.headers = options.headers ?? {};
  }
}
