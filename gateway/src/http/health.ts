import type { Exchange } from './exchange.js';

/** What a gateway says of itself. */
export interface Health {
  /** Whether new requests may come: all that is needed answers, and the process is not stopping. */
  isReady(): boolean;
}

/** Serves `/livez` and `/readyz`, which are no part of the API. @returns whether the path was one of them */
export function serveHealth(path: string, exchange: Exchange, health: Health): boolean {
  if (path !== '/livez' && path !== '/readyz') return false;
  const { method } = exchange.req;
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  if (method !== 'GET' && method !== 'HEAD') {
    exchange.send(method === 'OPTIONS' ? 204 : 405, { Allow: 'GET, HEAD, OPTIONS' }, '');
  } else if (path === '/livez') exchange.send(200, headers, '{"status":"live"}');
  else if (health.isReady()) exchange.send(200, headers, '{"status":"ready"}');
  else exchange.send(503, { ...headers, 'Retry-After': '1' }, '{"status":"not_ready"}');
  return true;
}
