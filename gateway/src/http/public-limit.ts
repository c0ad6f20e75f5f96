import { LRUCache } from 'lru-cache';
import { LimitError } from './ports.js';

/** Lets calls without a key in, by the bucket of their address. */
export type PublicLimit = (address: string) => void;

/** As many addresses are remembered at once. */
const addressesMax = 10_000;

/**
 * Limits calls of public operations by the generic cell rate algorithm, in this process alone: what they
 * answer is made once and costs next to nothing.
 *
 * @param perSecond - requests a second that one address may make
 * @param burst - requests that it may make at once
 */
export function publicLimit(perSecond: number, burst: number, nowMs: () => number): PublicLimit {
  const intervalMs = 1000 / perSecond;
  // when the bucket of an address will be full again
  const fullAtMs = new LRUCache<string, number>({ max: addressesMax });
  return (address) => {
    const now = nowMs();
    const next = Math.max(fullAtMs.get(address) ?? 0, now) + intervalMs;
    const waitMs = next - now - burst * intervalMs;
    if (waitMs > 0) {
      throw new LimitError('rate_limited', 'Too many requests from your address; wait as long as Retry-After says.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
    }
    fullAtMs.set(address, next);
  };
}
