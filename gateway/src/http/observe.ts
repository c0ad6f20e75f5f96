import type { Logger } from '@weir/kit/log';
import { createInstruments } from '@weir/kit/metrics';
import {
  activeTraceparent,
  contextFromTraceparent,
  inSpan,
  linkFromTraceparent,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
} from '@weir/kit/telemetry';
import { metrics } from '../metrics.js';
import type { Exchange } from './exchange.js';

const { requests } = createInstruments(metrics);

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

function methodOf(exchange: Exchange): string {
  const method = exchange.req.method ?? '';
  return knownMethods.has(method) ? method : '_OTHER';
}

/** How the span of a request hangs on the caller's: below it when the operator trusts it, else linked. */
function callerOf(exchange: Exchange, trustTraceparent: boolean): Pick<SpanOptions, 'parent' | 'links'> {
  const header = exchange.req.headers['traceparent'];
  if (typeof header !== 'string') return {};
  if (trustTraceparent) return { parent: contextFromTraceparent(header) };
  const link = linkFromTraceparent(header);
  return link === undefined ? {} : { links: [link] };
}

/** Runs the work of a request in its span, named by the template of its route and never by its path. */
export async function inRequestSpan(
  exchange: Exchange,
  trustTraceparent: boolean,
  work: () => Promise<void>,
): Promise<void> {
  const { route } = exchange;
  const method = methodOf(exchange);
  const name = method === '_OTHER' ? 'HTTP' : method;
  const options: SpanOptions = {
    ...callerOf(exchange, trustTraceparent),
    kind: SpanKind.SERVER,
    attributes: {
      'http.request.method': method,
      'url.scheme': 'http',
      'network.protocol.version': exchange.req.httpVersion,
      ...(route !== undefined && { 'http.route': route }),
      'weir.request_id': exchange.requestId,
    },
  };
  await inSpan(route === undefined ? name : `${name} ${route}`, options, async (span) => {
    // whoever asks us about an answer can tell which trace it was
    const traceparent = activeTraceparent();
    if (traceparent !== '') exchange.headers['traceresponse'] = traceparent;
    await work();
    const { status, principal } = exchange;
    if (principal !== undefined) span.setAttribute('weir.project_id', principal.projectId);
    // nobody is answered when the client went away
    if (status === 0) return;
    span.setAttribute('http.response.status_code', status);
    if (status < 500) return;
    span.setAttribute('error.type', String(status));
    span.setStatus({ code: SpanStatusCode.ERROR });
  });
}

/** Counts a request that has ended. */
function count(exchange: Exchange, tookMs: number): void {
  const { route, status } = exchange;
  requests.record(tookMs / 1000, {
    'http.request.method': methodOf(exchange),
    'http.route': route,
    'http.response.status_code': status === 0 ? undefined : status,
    'error.type': status === 0 ? 'client_gone' : status >= 500 ? status : undefined,
  });
}

/** Counts a request and writes its access line when its answer has ended, or its client went away. */
export function logWhenEnded(exchange: Exchange, log: Logger): void {
  exchange.whenTaken(() => {
    const { principal, route, status, bytes, requestId } = exchange;
    const tookMs = performance.now() - exchange.startedMs;
    count(exchange, tookMs);
    const caller =
      principal === undefined
        ? {}
        : {
            project_id: principal.projectId,
            ...(principal.kind === 'developer'
              ? { key_id: principal.keyId }
              : { connection_id: principal.connectionId }),
          };
    log.info(
      {
        request_id: requestId,
        method: exchange.req.method,
        route,
        status,
        ms: Math.round(tookMs * 1000) / 1000,
        bytes,
        ...caller,
        ...(!exchange.res.writableFinished && { cut_off: true }),
      },
      'request',
    );
  });
}
