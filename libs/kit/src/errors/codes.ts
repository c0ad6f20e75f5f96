/** One row of the error table. */
export interface ErrorCodeEntry {
  /** HTTP status that the gateway answers with. */
  readonly http: number;
  /** gRPC status number between services (google.rpc.Code). */
  readonly grpc: number;
  /** Whether the same request may succeed later without a change. */
  readonly retry: boolean;
  /** What happened and what to do: the documentation of the code. */
  readonly sentence: string;
}

/**
 * The one table of public error codes. HTTP status, gRPC status, retry advice and documentation all come from here.
 */
export const errorCodes = {
  invalid_request: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence: 'A parameter or a member of the body is not as documented; the details name each fault.',
  },
  unknown_field: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence: 'The body has a member that this operation does not know; remove it.',
  },
  unknown_query_parameter: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence: 'The query has a parameter that this operation does not know; remove it.',
  },
  unexpected_body: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence: 'This operation takes no body; send none.',
  },
  invalid_cursor: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence:
      'The cursor was altered or belongs to another key, project, operation or set of filters; start again without it.',
  },
  malformed_json: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence: 'The body is not valid JSON in UTF-8; the message says where it breaks.',
  },
  bad_request: {
    http: 400,
    grpc: 3,
    retry: false,
    sentence: 'The bytes on the connection are not a valid HTTP request, or its method is unknown.',
  },
  unauthenticated: {
    http: 401,
    grpc: 16,
    retry: false,
    sentence: 'The request carries no key; send one as documented under security.',
  },
  invalid_credential: {
    http: 401,
    grpc: 16,
    retry: false,
    sentence: 'The key is unknown, revoked, expired or of the wrong kind; use a valid one.',
  },
  permission_denied: {
    http: 403,
    grpc: 7,
    retry: false,
    sentence: 'The key lacks the permission that this operation names, or its connection is disabled.',
  },
  project_scope_mismatch: {
    http: 403,
    grpc: 7,
    retry: false,
    sentence: 'The key belongs to another project than the one in the path.',
  },
  not_found: {
    http: 404,
    grpc: 5,
    retry: false,
    sentence: 'There is no such path or resource, or the key may not know of it.',
  },
  method_not_allowed: {
    http: 405,
    grpc: 12,
    retry: false,
    sentence: 'The path exists but not with this method; the Allow header lists those it has.',
  },
  request_timeout: {
    http: 408,
    grpc: 4,
    retry: true,
    sentence: 'The request did not arrive in time; send it again.',
  },
  revision_conflict: {
    http: 409,
    grpc: 10,
    retry: false,
    sentence: 'The record was changed since the revision you expected; read it and apply your change again.',
  },
  lifecycle_conflict: {
    http: 409,
    grpc: 9,
    retry: false,
    sentence: 'The record (or what it belongs to) is in a state that does not allow this; the details say which.',
  },
  dependency_conflict: {
    http: 409,
    grpc: 9,
    retry: false,
    sentence: 'Other records depend on this one; the details name them.',
  },
  name_conflict: {
    http: 409,
    grpc: 6,
    retry: false,
    sentence: 'Another active record of the same scope has this name; choose another.',
  },
  body_too_large: {
    http: 413,
    grpc: 8,
    retry: false,
    sentence: 'The body exceeds the limit of this operation; send less at a time.',
  },
  unsupported_media_type: {
    http: 415,
    grpc: 3,
    retry: false,
    sentence: 'The content type, charset or content encoding is not one that this operation accepts.',
  },
  rate_limited: {
    http: 429,
    grpc: 8,
    retry: true,
    sentence: 'Too many requests; wait as long as Retry-After says.',
  },
  concurrency_limited: {
    http: 429,
    grpc: 8,
    retry: true,
    sentence: 'Too many requests of this key are in progress; wait for some to end.',
  },
  query_too_large: {
    http: 429,
    grpc: 8,
    retry: false,
    sentence: 'The query would read more than this deployment allows; narrow its range.',
  },
  response_too_large: {
    http: 429,
    grpc: 8,
    retry: false,
    sentence: 'The answer would be larger than this deployment allows; ask for less.',
  },
  cursor_too_large: {
    http: 429,
    grpc: 8,
    retry: false,
    sentence: 'The cursor is longer than 16384 characters; use one as it was answered.',
  },
  headers_too_large: {
    http: 431,
    grpc: 8,
    retry: false,
    sentence: 'The request line and headers exceed the limit; send fewer or shorter ones.',
  },
  internal: {
    http: 500,
    grpc: 13,
    retry: false,
    sentence: 'Weir failed; report the request id to the operator.',
  },
  dependency_unavailable: {
    http: 503,
    grpc: 14,
    retry: true,
    sentence: 'A part that is needed does not answer; send the request again after Retry-After.',
  },
} as const satisfies Record<string, ErrorCodeEntry>;

/** A stable public error code. */
export type ErrorCode = keyof typeof errorCodes;

/** Whether a text is one of the public error codes. */
export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}
