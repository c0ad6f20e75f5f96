import type { Decision, Rate } from './gcra.js';

/**
 * `RateLimit-Policy` and `RateLimit` as structured fields
 * (draft-ietf-httpapi-ratelimit-headers-10; it still moves, so it is written here alone).
 * The policy's quota is the burst, its window the seconds in which a spent burst is back.
 */
export function rateHeaders(policy: string, rate: Rate, decision: Decision): Record<string, string> {
  const windowS = Math.max(1, Math.ceil(rate.burst / rate.perSecond));
  const resetS = Math.ceil(decision.resetUs / 1_000_000);
  return {
    'RateLimit-Policy': `"${policy}";q=${rate.burst};w=${windowS}`,
    RateLimit: `"${policy}";r=${decision.remaining};t=${resetS}`,
  };
}

/** Whole seconds after which a refused request is allowed, at least 1. */
export function retryAfterSeconds(retryAfterUs: number): number {
  return Math.max(1, Math.ceil(retryAfterUs / 1_000_000));
}
