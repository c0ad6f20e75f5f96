import type { TsProtoServiceDefinition } from 'nice-grpc';

type Method = TsProtoServiceDefinition['methods'][string];
type MessageOf<T> = T extends { decode(input: Uint8Array): infer M } ? M : never;
type PartOf<T> = T extends { fromPartial(object: infer P): unknown } ? P : MessageOf<T>;
type RequestOf<M extends Method> = MessageOf<M['requestType']>;
type ResponseOf<M extends Method> = MessageOf<M['responseType']>;

/** What a method may know of its call. */
export interface CallContext {
  /** Aborted when the caller goes away or its time is up. */
  readonly signal: AbortSignal;
}

/** A method with one answer. */
export type UnaryMethod<Request, Response> = (request: Request, context: CallContext) => Promise<Response>;

/** The methods of a service: what they answer is whole, every member of it there. */
export type Implementation<S extends TsProtoServiceDefinition> = {
  readonly [N in keyof S['methods']]: S['methods'][N]['responseStream'] extends true
    ? (request: RequestOf<S['methods'][N]>, context: CallContext) => AsyncIterable<ResponseOf<S['methods'][N]>>
    : UnaryMethod<RequestOf<S['methods'][N]>, ResponseOf<S['methods'][N]>>;
};

/** What a call may say besides its request. */
export interface RpcOptions {
  /** Ends the call when the caller's own work is over. */
  readonly signal?: AbortSignal;
  /** Milliseconds that the answer may take, a stream to its end; the client's default unless given. */
  readonly timeoutMs?: number;
  /** Milliseconds that each piece of a stream may take to come; as long as the stream unless given. */
  readonly pieceTimeoutMs?: number;
  /** The request that this call is part of, where it is not the one that is being worked for; the other side logs it. */
  readonly requestId?: string;
}

/** A connected client: what is asked may leave members out. Disposing closes its channel. */
export type RpcClient<S extends TsProtoServiceDefinition> = Disposable & {
  readonly [N in keyof S['methods']]: (
    request: PartOf<S['methods'][N]['requestType']>,
    options?: RpcOptions,
  ) => S['methods'][N]['responseStream'] extends true
    ? AsyncIterable<ResponseOf<S['methods'][N]>>
    : Promise<ResponseOf<S['methods'][N]>>;
};
