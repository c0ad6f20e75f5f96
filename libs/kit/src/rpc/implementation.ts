import type { TsProtoServiceDefinition } from 'nice-grpc';

type Method = TsProtoServiceDefinition['methods'][string];
type MessageOf<T> = T extends { decode(input: Uint8Array): infer M } ? M : never;
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
