import type { ErrorCode } from '@weir/kit/errors';
import type { Permission } from '@weir/kit/permissions';
import type { z } from 'zod';

/** Who a key belongs to, once it was accepted. */
export interface DeveloperPrincipal {
  readonly kind: 'developer';
  readonly organizationId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly keyName: string;
  readonly permissions: readonly string[];
  readonly createdAtUs: number;
  readonly expiresAtUs: number | undefined;
}

/** An ingestion connection, once its key was accepted. */
export interface IngestionPrincipal {
  readonly kind: 'ingestion';
  readonly organizationId: string;
  readonly projectId: string;
  readonly connectionId: string;
  readonly provisioning: 'automatic' | 'strict';
  readonly enabled: boolean;
}

/** What kind of key an operation wants, and so who its handler sees. */
export interface Principals {
  readonly none: undefined;
  readonly developer: DeveloperPrincipal;
  readonly ingestion: IngestionPrincipal;
}

/** A fault of one parameter: what is wrong with it, for a person. */
export interface ParameterFault {
  readonly code: string;
  readonly message: string;
}

/** A declared query or path parameter: reads its text exactly (never coerced) and describes itself. */
export interface Parameter<T> {
  /** JSON Schema of the value, with the effective limits. */
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly example?: string;
  /** Required when absent is a fault; otherwise `absent` is what the handler gets. */
  readonly required: boolean;
  readonly absent: T;
  /** A comma-separated list: it may also be repeated, and then its texts are joined. */
  readonly list?: true;
  /** Reads a text that is not empty. */
  parse(text: string): { readonly value: T } | { readonly fault: ParameterFault };
}

/** Parameters by name. */
export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

/** The values of declared parameters. */
export type ValuesOf<P extends Parameters> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never;
};

/** How an operation's body is read. */
export interface Body<T> {
  /** Schema for the document; unknown members are refused at every depth. */
  readonly schema: z.ZodType;
  /** Limit in bytes, after decompression. */
  readonly bytesMax: number;
  /** Whether `Content-Encoding: gzip` is accepted. */
  readonly gzip: boolean;
  readonly example: unknown;
  /**
   * Turns parsed JSON into what the handler gets; throws WeirError (`invalid_request`,
   * `unknown_field`) with all faults, and must itself refuse numbers that are not finite, texts with
   * NUL and unknown members, and not recurse. The default validates by `schema`.
   */
  readonly read?: (json: unknown) => T;
}

/** A body of bytes that the handler reads itself, piece by piece; it may be sent compressed with gzip. */
export interface UploadBody {
  /** Media types that are accepted, without parameters. */
  readonly mediaTypes: readonly [string, ...string[]];
  /** Limit in bytes, after decompression. */
  readonly bytesMax: number;
  /** What the bytes are, for the document. */
  readonly description: string;
  readonly example: string;
}

/** A body as its handler reads it. */
export interface Upload {
  /**
   * The bytes, decompressed. They are asked for as they are taken, so a slow handler slows its caller.
   * Throws WeirError for what is wrong with them, and the reason of the abort.
   */
  readonly chunks: AsyncIterable<Buffer>;
  /** How many there will be, where that is known. */
  readonly bytesTotal: number | undefined;
  /** Reads past the bytes, unless the caller waits to be asked for them: so that it comes to read the answer. */
  skip(): Promise<void>;
}

/** What a handler gets. */
export interface OperationRequest<A extends keyof Principals, P extends Parameters, Q extends Parameters, B> {
  readonly params: ValuesOf<P>;
  readonly query: ValuesOf<Q>;
  readonly body: B;
  /** Of an operation that declares one. */
  readonly upload: Upload;
  readonly principal: Principals[A];
  readonly requestId: string;
  /** A header's value, for the headers that the operation declares. */
  header(this: object, name: string): string | undefined;
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal;
  /** Whether the signal is; to look at it costs nothing, while a signal is made for who asks for it. */
  readonly aborted: boolean;
  /** The one that suits the client best of the media types of a StreamAnswer. */
  readonly mediaType: string;
}

/** JSON text that goes into the envelope as it is. */
export class JsonText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An answer that is not an envelope, the same for everybody: the OpenAPI document, a page. */
export class RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes, since Node copies a text for each client that has not taken it. */
  readonly body: Buffer;
  constructor(status: number, headers: Readonly<Record<string, string>>, body: Buffer) {
    this.status = status;
    this.headers = headers;
    this.body = body;
  }
}

/**
 * An answer of any size that is no envelope: its pieces are sent as the client takes them, compressed where it
 * says that it takes that. What fails before the first piece is answered as an error; what fails after it breaks
 * the connection, so that nobody takes a part for the whole.
 */
export class StreamAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly pieces: AsyncIterable<Uint8Array>;
  constructor(headers: Readonly<Record<string, string>>, pieces: AsyncIterable<Uint8Array>) {
    this.headers = headers;
    this.pieces = pieces;
  }
}

/** A media type that an operation may stream. */
export interface StreamedType {
  readonly type: string;
  /** Other names that clients ask for it by. */
  readonly aliases?: readonly string[];
  readonly example: string;
}

/** What query parameters must be to each other; asked when none of them is at fault by itself. */
export interface QueryRule {
  /** Those that are told as wrong. */
  readonly of: readonly string[];
  /** Others that the rule looks at. */
  readonly beside?: readonly string[];
  readonly code: string;
  /** What is wrong with the values, for a person; undefined when nothing is. */
  faultOf(query: Readonly<Record<string, unknown>>): string | undefined;
}

/** A header that an operation reads: declared so that it is validated and documented. */
export type Headers = Parameters;

/**
 * The one declaration of an operation. Route, 404 and 405, credential, scope, permission, limits,
 * validation, statuses and the OpenAPI document all derive from it.
 */
export interface Operation<
  A extends keyof Principals = keyof Principals,
  P extends Parameters = Parameters,
  Q extends Parameters = Parameters,
  B = unknown,
> {
  /** `operationId` of the document, by which clients that are made of it call the operation. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Template such as `/dev-api/v1/p/{project_id}/observations`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly auth: A;
  /** The permission it needs (`developer` only). */
  readonly permission?: Permission;
  readonly params: P;
  readonly query: Q;
  readonly queryRules?: readonly QueryRule[];
  /** The optional parameters of the query that an example of a request has, each by its own example. */
  readonly exampleQuery?: readonly (keyof Q & string)[];
  readonly headers?: Headers;
  readonly body?: Body<B>;
  /** Instead of `body`. */
  readonly upload?: UploadBody;
  readonly success: {
    readonly status: 200 | 201;
    /** Schema of `data`; of the whole body for a RawAnswer or a StreamAnswer. */
    readonly schema: z.ZodType;
    readonly example: unknown;
    /** Media type of a RawAnswer; `application/json` unless given. */
    readonly contentType?: string;
    /** A RawAnswer with an `ETag`: `If-None-Match` is understood and 304 may be answered. */
    readonly conditional?: true;
    /** The media types of a StreamAnswer, the default first. */
    readonly streamed?: readonly [StreamedType, ...StreamedType[]];
  };
  /** Codes that the handler itself may answer; those of the machine are added. */
  readonly errors: readonly ErrorCode[];
  /** How many of it one key may have in progress, in all gateways together; as many as of all operations unless given. */
  readonly concurrentMax?: number;
  /** Deadline of the whole request in milliseconds; the gateway's default unless given. */
  readonly timeoutMs?: number;
  readonly handle: (request: OperationRequest<A, P, Q, B>) => Promise<unknown>;
}

/** Declares an operation with its types inferred. */
export function operation<
  const A extends keyof Principals,
  const P extends Parameters,
  const Q extends Parameters,
  B = undefined,
>(declaration: Operation<A, P, Q, B>): Operation {
  return declaration as unknown as Operation;
}
