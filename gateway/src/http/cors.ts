import type { Exchange } from './exchange.js';

/** Headers that a script of another origin may read beside the ones that it always may. */
const exposed = 'Allow, ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-ID';
const accepted =
  'Authorization, Content-Encoding, Content-Type, Idempotency-Key, If-None-Match, X-API-Key, X-Request-ID';

/**
 * Lets pages of configured origins read answers. `*` stands for every origin.
 *
 * @returns what puts the headers on a request's answer, and those of a preflight when `allow` is given
 */
export function cors(origins: readonly string[]): (exchange: Exchange, allow?: string) => void {
  if (origins.length === 0) return () => undefined;
  const isAny = origins.includes('*');
  const known = new Set(origins);
  return ({ req, headers }, allow) => {
    const { origin } = req.headers;
    if (!isAny) headers['Vary'] = 'Origin';
    if (origin === undefined || !(isAny || known.has(origin))) return;
    headers['Access-Control-Allow-Origin'] = isAny ? '*' : origin;
    if (allow === undefined || req.headers['access-control-request-method'] === undefined) {
      headers['Access-Control-Expose-Headers'] = exposed;
      return;
    }
    headers['Access-Control-Allow-Methods'] = allow;
    headers['Access-Control-Allow-Headers'] = accepted;
    headers['Access-Control-Max-Age'] = '600';
  };
}
