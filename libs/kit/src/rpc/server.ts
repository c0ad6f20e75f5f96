import {
  type CallContext,
  createServer,
  type ServerAddBuilder,
  type ServerMiddlewareCall,
  type ServiceImplementation,
  type TsProtoServiceDefinition,
} from 'nice-grpc';
import { HealthDefinition, HealthState } from 'nice-grpc-server-health';
import { unavailable } from '../errors/index.js';
import type { StartedService } from '../lifecycle/index.js';
import { type Logger, stepsInRequest } from '../log/index.js';
import { type Readiness, startReadiness } from '../readiness/index.js';
import { streamInSpan } from '../telemetry/index.js';
import { streamInProject } from '../tenancy/index.js';
import { type AnsweredMethod, answerUnary, projectOf } from './answer-unary.js';
import { ArrivedCall } from './arrived-call.js';
import { CallEnd, remainingMs, timeoutHeader } from './deadline.js';
import { encodeError } from './errors.js';
import { healthService, startHealthServer } from './health.js';
import { tuneHttp2 } from './http2.js';
import { messageBytesMax } from './message-limit.js';
import { isRead } from './method-kinds.js';
import { writtenByOne } from './one-writer.js';
import { serverCredentials } from './peers.js';
import type { Implementation, UnaryMethod } from './service-types.js';

/** The name that the health service answers as long as the process does. */
const liveService = 'live';

/** Calls that are in flight when a service stops have this long to end. */
const stopGraceMs = 10_000;

/** Why a process does not serve that has not heard yet from what it needs. */
const hasBegun = unavailable('It has just begun, and asks what it needs.');

/** So soon a replica that was added is found. */
const connectionAgeMs = 45_000;

/** Serves streams: all else is answered before it comes here (`answerUnary`). */
function serveStreams(log: Logger) {
  async function* serve<Request, Response>(
    call: ServerMiddlewareCall<Request, Response>,
    context: CallContext,
  ): AsyncGenerator<Response, Response | void, undefined> {
    const arrived = new ArrivedCall(log, call.method.path, context.metadata.get('traceparent'));
    let { signal } = context;
    try {
      using end = new CallEnd(remainingMs(context.metadata.get(timeoutHeader)), signal);
      signal = end.signal;
      yield* streamInSpan(arrived.name, arrived.span, () =>
        streamInProject(projectOf(call.request), () =>
          call.next(call.request as never, { ...context, signal: end.signal }),
        ),
      );
      // one that ended because of the abort is not whole, and must not look so
      signal.throwIfAborted();
      arrived.ended();
    } catch (error) {
      throw encodeError(arrived.failed(error, signal), context);
    }
  }
  return <Request, Response>(call: ServerMiddlewareCall<Request, Response>, context: CallContext) =>
    stepsInRequest(context.metadata.get('x-request-id') ?? '', serve(call, context));
}

/** A service that a server can take on: its definition with an implementation checked against it. */
export interface ServedService {
  /** Its methods with one answer, by their paths. */
  readonly unary: ReadonlyMap<string, AnsweredMethod>;
  addTo(builder: ServerAddBuilder<object>): void;
}

/** An answer that is written before it is given to grpc-js, which tells nobody when it cannot be. */
const isWritten = { encode: (bytes: Uint8Array) => ({ finish: () => bytes }) };

/** Pairs a definition with its implementation. */
export function served<S extends TsProtoServiceDefinition>(
  definition: S,
  implementation: Implementation<S>,
): ServedService {
  const written = writtenByOne(definition);
  const unary = new Map<string, AnsweredMethod>();
  const methods = Object.entries(written.methods).map(([name, method]) => {
    if (method.responseStream) return [name, method];
    const { responseType } = method;
    unary.set(`/${definition.fullName}/${method.name}`, {
      call: (implementation[name] as UnaryMethod<unknown, unknown>).bind(implementation),
      encode: (answer) => responseType.encode(answer).finish(),
      isRead: isRead(method),
    });
    return [name, { ...method, responseType: { ...responseType, ...isWritten } }];
  });
  const asBytes = { ...written, methods: Object.fromEntries(methods) } as S;
  return { unary, addTo: (builder) => builder.add(asBytes, implementation as unknown as ServiceImplementation<S>) };
}

/**
 * Starts a gRPC server: error coding, deadlines, tracing and health for every method. It listens at
 * once and is healthy while `isReady` resolves; three failures in a row make it unhealthy. Disposing
 * answers NOT_SERVING, serves for `drainMs` more, refuses new calls and waits for those in flight.
 */
export async function startRpcServer(options: {
  readonly listenAddress: string;
  readonly services: readonly ServedService[];
  /** Rejects while a required dependency does not answer. */
  readonly isReady: () => Promise<void>;
  readonly log: Logger;
  readonly drainMs: number;
  /** Where health alone answers callers without a certificate too; nowhere when empty. */
  readonly healthAddress?: string;
  /**
   * The longest that a call may take, where that is more than a minute: no connection is closed over one, and
   * none is pinged (`connect` tells why), so that a caller who vanished is noticed by the end of its calls.
   */
  readonly callMsMax?: number;
  /** How old a connection grows before its caller is asked to look again who serves; 45 s unless given. */
  readonly connectionAgeMs?: number;
}): Promise<StartedService> {
  const { log, healthAddress = '' } = options;
  const health = HealthState();
  // of the process alone, whatever it needs: what restarts a pod must not be a dependency
  health.setStatus('healthy', liveService);
  // nor does it serve before it has asked what it needs
  health.setStatus('unhealthy');
  tuneHttp2();
  const unary = new Map(options.services.flatMap((service) => [...service.unary]));
  // with channelz, which clients do without: by it alone grpc-js knows the connections that `forceShutdown` ends
  const server = createServer({
    // of the server's options, and none of the channel's, of which nice-grpc knows
    ...{ interceptors: [answerUnary(unary, log)] },
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_connection_age_ms': options.connectionAgeMs ?? connectionAgeMs,
    'grpc.max_connection_age_grace_ms': Math.max(60_000, options.callMsMax ?? 0),
    ...(options.callMsMax === undefined && { 'grpc.keepalive_time_ms': 25_000, 'grpc.keepalive_timeout_ms': 10_000 }),
  });
  // health stays outside the machinery: probes have no deadline and no trace
  let readiness: Readiness | undefined;
  const answering = healthService(health, () => (readiness === undefined ? hasBegun : readiness.whyNot()));
  server.add(HealthDefinition, answering);
  for (const service of options.services) service.addTo(server.with(serveStreams(log)));
  const port = await server.listen(options.listenAddress, serverCredentials());
  await using opening = new AsyncDisposableStack();
  opening.defer(() => server.shutdown());
  if (healthAddress !== '') opening.use(await startHealthServer(healthAddress, answering));
  const opened = opening.move();
  const host = options.listenAddress.slice(0, options.listenAddress.lastIndexOf(':'));

  const asking = await startReadiness({
    check: options.isReady,
    log,
    onChange: (isReady) => health.setStatus(isReady ? 'healthy' : 'unhealthy'),
  });
  readiness = asking;
  return {
    address: `${host}:${port}`,
    async [Symbol.asyncDispose]() {
      await asking[Symbol.asyncDispose]();
      if (options.drainMs > 0) await new Promise((resolve) => setTimeout(resolve, options.drainMs));
      const force = setTimeout(() => server.forceShutdown(), stopGraceMs);
      await opened.disposeAsync();
      clearTimeout(force);
    },
  };
}
