import { WeirError } from '@weir/kit/errors';
import { inRequest, unredacted } from '@weir/kit/log';
import { cors } from './cors.js';
import { countHeader } from './count-header.js';
import type { Exchange } from './exchange.js';
import { sendError } from './failure.js';
import type { Machine } from './machine.js';
import { inRequestSpan, logWhenEnded } from './observe.js';
import { createRouter, type ServePath } from './router.js';
import type { Route } from './routes.js';
import { serve } from './serve.js';

/** Path of a request target, without its query. */
export function pathOf(target: string): string {
  const at = target.indexOf('?');
  return at === -1 ? target : target.slice(0, at);
}

/** A target that names scheme and host, as a proxy may send it, without them: every server must take it (RFC 9112, 3.2.2). */
export function originForm(target: string): string {
  const rest = /^https?:\/\/[^/?#]*(.*)$/is.exec(target)?.[1];
  return rest === undefined || rest.startsWith('/') ? (rest ?? target) : `/${rest}`;
}

/** What a Host header may hold: a name or address, and a port (RFC 3986, 3.2.2). */
const hostText = /^[\w.~%!$&'()*+,;=:[\]-]*$/;

/**
 * What HTTP itself demands of a request, and Node's parser lets pass: a version of 1, a target that is a path
 * (RFC 9112, 3.2), with 1.1 one Host (3.2), and no transfer coding that would be read as if it were not there,
 * or that who speaks 1.0 does not know (6.1).
 */
function protocolFault({ req }: Exchange): string | undefined {
  if (req.httpVersionMajor !== 1) return 'This server speaks HTTP/1.1.';
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && !/^chunked$/i.test(coding))
    return 'The only Transfer-Encoding that is read is chunked; compress by Content-Encoding.';
  if (coding !== undefined && req.httpVersionMinor === 0)
    return 'HTTP/1.0 has no Transfer-Encoding; send a Content-Length.';
  const target = req.url ?? '';
  if (!/^(\/[^#]*|\*)$/.test(target))
    return 'The target of a request is a path, or a URL with http or https, without a fragment.';
  const hosts = countHeader(req, 'host');
  if (hosts > 1 || (hosts === 0 && req.httpVersionMinor > 0)) return 'A request has exactly one Host header.';
  return hostText.test(req.headers.host ?? '') ? undefined : 'The Host header is not the name of a host.';
}

/**
 * Makes of routes what serves any request: path (404), method (405), then the operation.
 *
 * @param direct - path without parameters that skips Express: its router costs several times what
 *   the rest of a small request does
 */
export function createDispatch(
  routes: readonly Route[],
  machine: Machine,
  options: { readonly corsOrigins: readonly string[]; readonly direct: readonly string[] },
): (exchange: Exchange) => void {
  const allowOrigins = cors(options.corsOrigins);
  const accessLog = unredacted(machine.log);
  const span = (exchange: Exchange, work: () => Promise<void>) =>
    inRequest(exchange.requestId, () => inRequestSpan(exchange, machine.trustTraceparent, work));

  const servePath = (route: Route): ServePath => {
    return (exchange, params) => {
      const method = exchange.req.method ?? '';
      exchange.route = route.template;
      const endpoint = route.endpoints.get(method);
      if (endpoint !== undefined) return span(exchange, () => serve(endpoint, exchange, machine, params));
      return span(exchange, async () => {
        if (method === 'OPTIONS') {
          allowOrigins(exchange, route.allow);
          exchange.send(204, { Allow: route.allow }, '');
          return;
        }
        exchange.headers['Allow'] = route.allow;
        sendError(exchange, new WeirError('method_not_allowed', `This path has the methods ${route.allow}.`));
      });
    };
  };
  const serveRest = (exchange: Exchange, error?: unknown): void => {
    void span(exchange, async () => {
      if (error !== undefined && !(error instanceof WeirError)) machine.log.error({ err: error }, 'unexpected error');
      const unknown = new WeirError('not_found', 'There is no such path; GET /dev-api/v1/docs shows those there are.');
      sendError(exchange, error ?? unknown);
    });
  };

  const paths = new Map(routes.map((route) => [route.template, servePath(route)]));
  const direct = new Map([...paths].filter(([template]) => options.direct.includes(template)));
  const route = createRouter(paths, serveRest);
  const allowSomewhere = [...new Set(routes.flatMap(({ allow }) => allow.split(', ')))].sort().join(', ');
  return (exchange) => {
    logWhenEnded(exchange, accessLog);
    allowOrigins(exchange);
    const fault = protocolFault(exchange);
    if (fault !== undefined) {
      // where the request ends may be read in another way by who sent it on
      exchange.isLast = true;
      return serveRest(exchange, new WeirError('bad_request', fault));
    }
    // asks of the server as a whole (RFC 9110, 9.3.7)
    if (exchange.req.url === '*' && exchange.req.method === 'OPTIONS')
      return exchange.send(204, { Allow: allowSomewhere }, '');
    const serveDirectly = direct.get(pathOf(exchange.req.url ?? ''));
    if (serveDirectly === undefined) return route(exchange);
    serveDirectly(exchange, {}).catch((error: unknown) => serveRest(exchange, error));
  };
}
