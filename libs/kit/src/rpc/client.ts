import { context, propagation } from '@opentelemetry/api';
import {
  type CallOptions,
  type Channel,
  type Client,
  type ClientMiddlewareCall,
  createChannel,
  createClientFactory,
  Metadata,
  type TsProtoServiceDefinition,
} from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { unavailable } from '../errors/index.js';
import { currentRequestId } from '../log/index.js';
import { inSpan, SpanKind, streamInSpan } from '../telemetry/index.js';
import { CallEnd, timeoutHeader } from './deadline.js';
import { decodeError, isUnanswered } from './errors.js';
import { receiveWindowBytes, tuneHttp2 } from './http2.js';
import { messageBytesMax } from './message-limit.js';
import { isIdempotent } from './method-kinds.js';
import { noteCall } from './note-call.js';
import { writtenByOne } from './one-writer.js';
import { channelCredentials } from './peers.js';
import { unlessSilent } from './silence.js';

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

/** A connected client; disposing closes its channel. */
export type RpcClient<S extends TsProtoServiceDefinition> = Client<S, RpcOptions> & Disposable;

/** The errors of a call as the service threw them; an expired deadline is `dependency_unavailable`. */
function callError(error: unknown, trailer: Metadata, { lateAfterMs }: CallEnd, name: string): unknown {
  return lateAfterMs === undefined
    ? decodeError(error, trailer)
    : unavailable(`${name} did not answer in ${lateAfterMs} ms.`, error);
}

async function* call<Request, Response>(
  next: ClientMiddlewareCall<Request, Response>,
  {
    timeoutMs,
    pieceTimeoutMs = timeoutMs,
    requestId = currentRequestId(),
    signal,
    ...options
  }: CallOptions & Partial<RpcOptions>,
): AsyncGenerator<Response, Response | void, undefined> {
  const name = next.method.path.slice(1);
  const span = { kind: SpanKind.CLIENT, attributes: { 'rpc.system.name': 'grpc', 'rpc.method': name } };
  using end = new CallEnd(timeoutMs ?? 0, signal);
  let trailer = Metadata();
  let hasBegunToAnswer = false;
  /** In the span of the call, whose trace it carries. */
  const begin = (): AsyncGenerator<Response, Response | void, undefined> => {
    const metadata = Metadata(options.metadata);
    propagation.inject(context.active(), metadata, { set: (carrier, key, value) => carrier.set(key, value) });
    if (requestId !== '') metadata.set('x-request-id', requestId);
    metadata.set(timeoutHeader, String(timeoutMs));
    return next.next(next.request as never, {
      ...options,
      metadata,
      signal: end.signal,
      onHeader: () => {
        hasBegunToAnswer = true;
      },
      onTrailer: (received) => {
        trailer = received;
      },
    });
  };
  const startedMs = performance.now();
  const failure = (thrown: unknown) => {
    const error = callError(thrown, trailer, end, name);
    noteCall('client', name, startedMs, error);
    return error;
  };
  if (next.responseStream) {
    try {
      yield* streamInSpan(name, span, () => unlessSilent(begin(), pieceTimeoutMs ?? 0, end));
    } catch (error) {
      throw failure(error);
    }
    noteCall('client', name, startedMs);
    return;
  }
  return await inSpan(name, span, async () => {
    let answer: IteratorResult<Response, Response | void>;
    try {
      answer = await begin()
        .next()
        .catch((error: unknown) => {
          // gRPC's own retries end where an answer begins, of which nothing has been told yet
          const mayRepeat = hasBegunToAnswer && isIdempotent(next.method) && isUnanswered(decodeError(error, trailer));
          if (mayRepeat) return begin().next();
          throw error;
        });
    } catch (error) {
      throw failure(error);
    }
    noteCall('client', name, startedMs);
    return answer.value;
  });
}

/** gRPC's own retries: for the methods that the proto marks idempotent, and UNAVAILABLE only. */
function serviceConfig(definition: TsProtoServiceDefinition): string {
  const idempotent = Object.values(definition.methods)
    .filter(isIdempotent)
    .map((method) => ({ service: definition.fullName, method: method.name }));
  const retryPolicy = {
    maxAttempts: 3,
    initialBackoff: '0.05s',
    maxBackoff: '1s',
    backoffMultiplier: 3,
    retryableStatusCodes: ['UNAVAILABLE'],
  };
  return JSON.stringify({
    loadBalancingConfig: [{ round_robin: {} }],
    methodConfig: [{ name: idempotent, retryPolicy }],
  });
}

/**
 * A connection that its server has asked to be left (`max_connection_age`) stays for the calls on it, but grpc-js
 * 1.14 takes the next keepalive ping there for lost, and ends them: long streams go without such pings, each on a connection of
 * its own, so that one that leads nowhere is found out by none but its own stream.
 * Nor have they a larger window: what their reader does not take waits at the service, which then stops.
 */
const forCalls = {
  'grpc.keepalive_time_ms': 25_000,
  'grpc.keepalive_timeout_ms': 10_000,
  'grpc-node.flow_control_window': receiveWindowBytes,
};

function openChannel(address: string, config?: string, forStreams = false): Channel {
  tuneHttp2();
  const { credentials, options } = channelCredentials();
  return createChannel(address, credentials, {
    ...options,
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.enable_channelz': 0,
    ...(forStreams ? { 'grpc.use_local_subchannel_pool': 1 } : forCalls),
    'grpc.service_config_disable_resolution': 1,
    'grpc.dns_min_time_between_resolutions_ms': 5000,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 2000,
    ...(config === undefined ? {} : { 'grpc.service_config': config }),
  });
}

/**
 * Connects to a service. Every call has a deadline, carries the trace and the request id, throws
 * WeirError as the service threw it, and is retried only when its method is idempotent.
 *
 * @param address - host:port, or a gRPC target such as `dns:///name:port`
 * @param timeoutMs - deadline of a call that names none
 * @param forStreams - its calls may stream for longer than a connection is kept; it has connections of its own
 */
export function connect<S extends TsProtoServiceDefinition>(
  definition: S,
  address: string,
  timeoutMs = 10_000,
  forStreams = false,
): RpcClient<S> {
  const channel = openChannel(address, serviceConfig(definition), forStreams);
  const client = createClientFactory()
    .use<Partial<RpcOptions>>(call)
    .create(writtenByOne(definition), channel, { '*': { timeoutMs } as CallOptions });
  return Object.assign(client as Client<S, RpcOptions>, { [Symbol.dispose]: () => channel.close() });
}

/** Whether the service at an address says that it is serving; false when it does not answer in time. */
export async function isServing(address: string, timeoutMs = 1000): Promise<boolean> {
  const channel = openChannel(address);
  try {
    const health = createClientFactory().create(HealthDefinition, channel);
    const answer = await health.check({ service: '' }, { signal: AbortSignal.timeout(timeoutMs) });
    return Number(answer.status) === 1;
  } catch {
    return false;
  } finally {
    channel.close();
  }
}
