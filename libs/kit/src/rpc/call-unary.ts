import { type Client, Metadata, type ServiceError } from '@grpc/grpc-js';
import { context, propagation } from '@opentelemetry/api';
import type { TsProtoServiceDefinition } from 'nice-grpc';
import { currentRequestId } from '../log/index.js';
import { inSpan, SpanKind } from '../telemetry/index.js';
import { CallEnd, timeoutHeader } from './deadline.js';
import { decodeStatus, hasBrokenOff, isUnanswered, orLate } from './errors.js';
import { isIdempotent } from './method-kinds.js';
import { noteCall } from './note-call.js';
import type { RpcOptions } from './service-types.js';

type MethodDefinition = TsProtoServiceDefinition['methods'][string];

/** A method with one answer, as its callers see it. */
export type CalledMethod = (request: unknown, options?: RpcOptions) => Promise<unknown>;

/**
 * Begins a call. grpc-js makes an error of each for its stack, should it fail, which costs as much as all that is ours; what
 * it is decoded into tells who waited.
 */
function withoutStack<T>(begin: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return begin();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Says with a call what it is part of, and how long it may take. */
export function setCallHeaders(
  metadata: { set(key: string, value: string): unknown },
  requestId: string,
  timeoutMs: number,
): void {
  propagation.inject(context.active(), metadata, { set: (carrier, key, value) => carrier.set(key, value) });
  if (requestId !== '') metadata.set('x-request-id', requestId);
  metadata.set(timeoutHeader, String(timeoutMs));
}

function isServiceError(error: unknown): error is ServiceError {
  return error instanceof Error && 'metadata' in error;
}

/** A method of a service, called by a client. */
export function callsUnary(client: Client, path: string, method: MethodDefinition, defaultMs: number): CalledMethod {
  const name = path.slice(1);
  const span = { kind: SpanKind.CLIENT, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': name } };
  const { requestType, responseType } = method;
  const serialize = (request: unknown) =>
    Buffer.from(requestType.encode(requestType.fromPartial?.(request) ?? request).finish());

  /** Sends it once, and tells when it begins to be answered. */
  const send = (request: unknown, metadata: Metadata, signal: AbortSignal, onHeader: () => void) =>
    new Promise<unknown>((resolve, reject) => {
      const calledOff = () => new DOMException('The call was called off.', 'AbortError');
      if (signal.aborted) return reject(calledOff());
      const leave = (): void => {
        call.cancel();
        // grpc-js loses it where the call was begun in the same turn, and sends it all the same
        setImmediate(() => call.cancel());
        reject(calledOff());
      };
      const done = (error: ServiceError | null, answer: unknown): void => {
        signal.removeEventListener('abort', leave);
        if (error === null) resolve(answer);
        else reject(error);
      };
      const call = withoutStack(() =>
        client.makeUnaryRequest(path, serialize, responseType.decode, request, metadata, done),
      );
      call.once('metadata', onHeader);
      signal.addEventListener('abort', leave);
    });

  return async (request, { timeoutMs = defaultMs, requestId = currentRequestId(), signal } = {}) => {
    using end = new CallEnd(timeoutMs, signal);
    const startedMs = performance.now();
    let hasBegunToAnswer = false;
    const attempt = async (metadata: Metadata): Promise<unknown> => {
      try {
        return await send(request, metadata, end.signal, () => {
          hasBegunToAnswer = true;
        });
      } catch (thrown) {
        throw isServiceError(thrown) ? decodeStatus(path, thrown) : thrown;
      }
    };
    return await inSpan(name, span, async () => {
      try {
        const metadata = new Metadata();
        setCallHeaders(metadata, requestId, timeoutMs);
        const answer = await attempt(metadata).catch((error: unknown) => {
          // gRPC's own retries end where an answer begins, of which nothing has been told yet
          const isLeft = hasBegunToAnswer ? isUnanswered(error) : hasBrokenOff(error);
          if (isLeft && isIdempotent(method)) return attempt(metadata);
          throw error;
        });
        noteCall('client', name, startedMs);
        return answer;
      } catch (thrown) {
        const error = orLate(thrown, end, name, isIdempotent(method));
        noteCall('client', name, startedMs, error);
        throw error;
      }
    });
  };
}
