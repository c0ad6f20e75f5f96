import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type Express, type Request } from 'express';
import type { Exchange } from './exchange.js';

/** Serves one path, with any method. */
export type ServePath = (exchange: Exchange, params: Readonly<Record<string, string>>) => Promise<void>;

/** How a request leads back to its exchange: a WeakMap of all requests would be laid out anew again and again. */
const exchangeKey = Symbol('exchange');

interface Routed {
  [exchangeKey]?: Exchange;
}

/** Stands for what cannot be decoded: no parameter may hold it, so that its operation refuses it in its turn. */
const undecodable = '%00';

/** A target whose path can be decoded, segment by segment. */
function decodable(target: string): string {
  const pathEnd = target.search(/[?#]|$/);
  if (!target.slice(0, pathEnd).includes('%')) return target;
  const segments = target.slice(0, pathEnd).split('/');
  const decodables = segments.map((segment) => {
    try {
      decodeURIComponent(segment);
      return segment;
    } catch {
      return undecodable;
    }
  });
  return decodables.join('/') + target.slice(pathEnd);
}

/**
 * Routes by path with Express. Paths match exactly: case and a trailing slash count.
 *
 * @param paths - by template, such as `/dev-api/v1/p/{project_id}/observations`
 * @param serveRest - answers what no template matches, or the error that came of it
 */
export function createRouter(
  paths: ReadonlyMap<string, ServePath>,
  serveRest: (exchange: Exchange, error?: unknown) => void,
): (exchange: Exchange) => void {
  const app: Express = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false);
  app.enable('case sensitive routing').enable('strict routing');
  for (const [template, servePath] of paths) {
    app.all(template.replaceAll(/\{([a-z_]+)\}/g, ':$1'), (req: Request & Routed, _res, next) => {
      const exchange = req[exchangeKey];
      if (exchange !== undefined) servePath(exchange, req.params as Record<string, string>).catch(next);
    });
  }
  // with a last step of our own, Express never answers with a page of its own
  const handle = app as unknown as (req: IncomingMessage, res: ServerResponse, rest: (error?: unknown) => void) => void;
  return (exchange) => {
    const { req, res } = exchange;
    (req as IncomingMessage & Routed)[exchangeKey] = exchange;
    req.url = decodable(req.url ?? '');
    handle(req, res, (error) => serveRest(exchange, error));
  };
}
