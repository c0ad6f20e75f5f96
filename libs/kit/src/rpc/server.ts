import { context as contexts, propagation, ROOT_CONTEXT } from '@opentelemetry/api';
import {
  type CallContext,
  createServer,
  type ServerAddBuilder,
  type ServerMiddlewareCall,
  type ServiceImplementation,
  type TsProtoServiceDefinition,
} from 'nice-grpc';
import { HealthDefinition, HealthServiceImpl, HealthState } from 'nice-grpc-server-health';
import { unavailable, WeirError } from '../errors/index.js';
import type { StartedService } from '../lifecycle/index.js';
import { currentRequestId, type Logger, stepsInRequest } from '../log/index.js';
import { startReadiness } from '../readiness/index.js';
import { inChange, inRead } from '../reads/index.js';
import { inSpan, SpanKind, streamInSpan } from '../telemetry/index.js';
import { inProject, streamInProject } from '../tenancy/index.js';
import { CallEnd, deadlineMarginMs, deadlineMinMs, timeoutHeader } from './deadline.js';
import { encodeError } from './errors.js';
import { tuneHttp2 } from './http2.js';
import { messageBytesMax } from './message-limit.js';
import { isRead } from './method-kinds.js';
import { noteCall } from './note-call.js';
import { writtenByOne } from './one-writer.js';
import { serverCredentials } from './peers.js';

/** The name that the health service answers as long as the process does. */
const liveService = 'live';

/** Calls that are in flight when a service stops have this long to end. */
const stopGraceMs = 10_000;

/** So soon a replica that was added is found. */
const connectionAgeMs = 45_000;

/** The end of a handler's work, where the caller said how long it waits. */
function endOf(context: CallContext): CallEnd | undefined {
  const header = context.metadata.get(timeoutHeader);
  if (header === undefined) return undefined;
  const remainingMs = Number(header) - deadlineMarginMs;
  if (!(remainingMs >= deadlineMinMs)) throw unavailable('The deadline of the request has passed.');
  return new CallEnd(remainingMs, context.signal);
}

/** The project that a request names, or nothing. */
function projectOf(request: unknown): string {
  const { projectId } = request as { readonly projectId?: unknown };
  return typeof projectId === 'string' ? projectId : '';
}

function serve(log: Logger) {
  async function* middleware<Request, Response>(
    call: ServerMiddlewareCall<Request, Response>,
    context: CallContext,
  ): AsyncGenerator<Response, Response | void, undefined> {
    const carrier = { traceparent: context.metadata.get('traceparent') };
    const parent = propagation.extract(ROOT_CONTEXT, carrier);
    const name = call.method.path.slice(1);
    const requestId = currentRequestId();
    const attributes = {
      'rpc.system.name': 'grpc',
      'rpc.method': name,
      ...(requestId !== '' && { 'weir.request_id': requestId }),
    };
    const span = { kind: SpanKind.SERVER, parent, attributes };
    let signal = context.signal;
    const startedMs = performance.now();
    const ended = (error?: WeirError): void => {
      noteCall('server', name, startedMs, error);
      if (log.isLevelEnabled('debug'))
        tell(() => log.debug({ method: name, code: error?.code, ms: performance.now() - startedMs }, 'call'));
    };
    // its span has ended, and what is logged belongs to the trace all the same
    const tell = (write: () => void): void => contexts.with(parent, write);
    const refusal = (error: WeirError) => {
      ended(error);
      return encodeError(error, context);
    };
    try {
      using end = endOf(context);
      signal = end?.signal ?? signal;
      const inner = { ...context, signal };
      if (call.responseStream) {
        const projectId = projectOf(call.request);
        yield* streamInSpan(name, span, () =>
          streamInProject(projectId, () => call.next(call.request as never, inner)),
        );
        // one that ended because of the abort is not whole, and must not look so
        signal.throwIfAborted();
        ended();
        return;
      }
      const handle = () => inProject(projectOf(call.request), () => call.next(call.request as never, inner).next());
      const within = isRead(call.method) ? inRead : inChange;
      const answer = await inSpan(name, span, () => within(signal, handle));
      ended();
      return answer.value;
    } catch (error) {
      if (error instanceof WeirError) {
        // a caller that went away ends what is done for it, and is no trouble
        if (error.cause !== undefined && !signal.aborted)
          tell(() => log.warn({ err: error, method: name }, 'call failed'));
        throw refusal(error);
      }
      if (signal.aborted) throw refusal(unavailable('The caller went away or its time is up.'));
      tell(() => log.error({ err: error, method: name }, 'unexpected error'));
      throw refusal(new WeirError('internal', 'An unexpected error; the log of the service has it.'));
    }
  }
  return <Request, Response>(call: ServerMiddlewareCall<Request, Response>, context: CallContext) =>
    stepsInRequest(context.metadata.get('x-request-id') ?? '', middleware(call, context));
}

/** A service that a server can take on: its definition with an implementation checked against it. */
export type ServedService = (builder: ServerAddBuilder<object>) => void;

/** Pairs a definition with its implementation. */
export function served<S extends TsProtoServiceDefinition>(
  definition: S,
  implementation: ServiceImplementation<S>,
): ServedService {
  return (builder) => builder.add(writtenByOne(definition), implementation);
}

/** Starts a server that answers health and nothing else, to anybody: probes of a platform have no certificate. */
async function startHealthServer(address: string, health: HealthState): Promise<AsyncDisposable> {
  const server = createServer();
  server.add(HealthDefinition, HealthServiceImpl(health));
  await server.listen(address);
  return { [Symbol.asyncDispose]: () => server.shutdown() };
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
  // with channelz, which clients do without: by it alone grpc-js knows the connections that `forceShutdown` ends
  const server = createServer({
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_connection_age_ms': options.connectionAgeMs ?? connectionAgeMs,
    'grpc.max_connection_age_grace_ms': Math.max(60_000, options.callMsMax ?? 0),
    ...(options.callMsMax === undefined && { 'grpc.keepalive_time_ms': 25_000, 'grpc.keepalive_timeout_ms': 10_000 }),
  });
  // health stays outside the machinery: probes have no deadline and no trace
  server.add(HealthDefinition, HealthServiceImpl(health));
  for (const addTo of options.services) addTo(server.with(serve(log)));
  const port = await server.listen(options.listenAddress, serverCredentials());
  await using opening = new AsyncDisposableStack();
  opening.defer(() => server.shutdown());
  if (healthAddress !== '') opening.use(await startHealthServer(healthAddress, health));
  const opened = opening.move();
  const host = options.listenAddress.slice(0, options.listenAddress.lastIndexOf(':'));

  const readiness = await startReadiness({
    check: options.isReady,
    log,
    onChange: (isReady) => health.setStatus(isReady ? 'healthy' : 'unhealthy'),
  });
  return {
    address: `${host}:${port}`,
    async [Symbol.asyncDispose]() {
      await readiness[Symbol.asyncDispose]();
      if (options.drainMs > 0) await new Promise((resolve) => setTimeout(resolve, options.drainMs));
      const force = setTimeout(() => server.forceShutdown(), stopGraceMs);
      await opened.disposeAsync();
      clearTimeout(force);
    },
  };
}
