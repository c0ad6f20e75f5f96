import { credentials, Client as GrpcClient } from '@grpc/grpc-js';
import {
  type CallOptions,
  type Channel,
  ClientError,
  type ClientMiddlewareCall,
  createChannel,
  createClientFactory,
  Metadata,
  type TsProtoServiceDefinition,
} from 'nice-grpc';
import { HealthDefinition } from 'nice-grpc-server-health';
import { currentRequestId } from '../log/index.js';
import { SpanKind, streamInSpan } from '../telemetry/index.js';
import { callsUnary, setCallHeaders } from './call-unary.js';
import { CallEnd } from './deadline.js';
import { decodeError, messageOf, orLate } from './errors.js';
import { receiveWindowBytes, tuneHttp2 } from './http2.js';
import { messageBytesMax } from './message-limit.js';
import { isIdempotent } from './method-kinds.js';
import { noteCall } from './note-call.js';
import { writtenByOne } from './one-writer.js';
import { channelCredentials } from './peers.js';
import type { RpcClient, RpcOptions } from './service-types.js';
import { unlessSilent } from './silence.js';

/** Aborts a turn later: where a call was begun in the same one, grpc-js loses that it is called off, and sends it all the same. */
function aTurnLater(signal: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', () => setImmediate(abort));
  return controller.signal;
}

/** Calls a method whose answer is a stream. */
async function* stream<Request, Response>(
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
  /** In the span of the call, whose trace it carries. */
  const begin = () => {
    const metadata = Metadata(options.metadata);
    setCallHeaders(metadata, requestId, timeoutMs ?? 0);
    const onTrailer = (received: Metadata): void => {
      trailer = received;
    };
    return next.next(next.request as never, { ...options, metadata, signal: aTurnLater(end.signal), onTrailer });
  };
  const startedMs = performance.now();
  try {
    yield* streamInSpan(name, span, () => unlessSilent(begin(), pieceTimeoutMs ?? 0, end));
  } catch (thrown) {
    const error = orLate(decodeError(thrown, trailer), end, name, true);
    noteCall('client', name, startedMs, error);
    throw error;
  }
  noteCall('client', name, startedMs);
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
    // a replica that is gone fails hundreds of calls at once, which another answers; a service that goes on failing is not asked thrice
    retryThrottling: { maxTokens: 1000, tokenRatio: 1 },
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
 * @param options - `timeoutMs`: deadline of a call that names none; `forStreams`: its calls may stream for longer than a
 * connection is kept, and it has connections of its own
 */
export function connect<S extends TsProtoServiceDefinition>(
  definition: S,
  address: string,
  { timeoutMs = 10_000, forStreams = false }: { readonly timeoutMs?: number; readonly forStreams?: boolean } = {},
): RpcClient<S> {
  const channel = openChannel(address, serviceConfig(definition), forStreams);
  const written = writtenByOne(definition);
  const streams = createClientFactory()
    .use<Partial<RpcOptions>>(stream)
    .create(written, channel, { '*': { timeoutMs } as CallOptions });
  const client = new GrpcClient(address, credentials.createInsecure(), { channelOverride: channel });
  const unary = Object.entries(written.methods)
    .filter(([, method]) => !method.responseStream)
    .map(([name, method]) => [name, callsUnary(client, `/${definition.fullName}/${method.name}`, method, timeoutMs)]);
  const methods = { ...streams, ...Object.fromEntries(unary), [Symbol.dispose]: () => channel.close() };
  return methods as unknown as RpcClient<S>;
}

/** A connection to a service that is asked again and again whether it serves. */
export interface HealthClient extends Disposable {
  /** Whether the service says that it is serving; false when it does not answer in time. */
  isServing(timeoutMs?: number): Promise<boolean>;
  /** Why it is not serving, by what it says itself or why it cannot be asked; undefined when it is. */
  whyNotServing(timeoutMs?: number): Promise<string | undefined>;
}

/** Connects to the health of the service at an address. */
export function connectHealth(address: string): HealthClient {
  const channel = openChannel(address);
  const health = createClientFactory().create(HealthDefinition, channel);
  const whyNotServing = async (timeoutMs = 1000): Promise<string | undefined> => {
    let told: string | undefined;
    const onTrailer = (trailer: Metadata) => {
      told = messageOf(trailer);
    };
    try {
      const answer = await health.check({ service: '' }, { signal: AbortSignal.timeout(timeoutMs), onTrailer });
      return Number(answer.status) === 1 ? undefined : (told ?? 'It does not say why.');
    } catch (error) {
      if (error instanceof ClientError) return `It cannot be asked: ${error.details}`;
      return `It did not answer in ${timeoutMs} ms.`;
    }
  };
  return {
    whyNotServing,
    isServing: async (timeoutMs) => (await whyNotServing(timeoutMs)) === undefined,
    [Symbol.dispose]: () => channel.close(),
  };
}

/** Whether the service at an address says that it is serving, asked once; false when it does not answer in time. */
export async function isServing(address: string, timeoutMs?: number): Promise<boolean> {
  using health = connectHealth(address);
  return await health.isServing(timeoutMs);
}

/** Why the service at an address is not serving, asked once; undefined when it is. */
export async function whyNotServing(address: string): Promise<string | undefined> {
  using health = connectHealth(address);
  return await health.whyNotServing();
}
