import { LRUCache } from 'lru-cache';
import { takeTokens } from '../limits/gcra.js';
import { rateHeaders, retryAfterSeconds } from '../limits/rate-headers.js';
import { LimitError } from './ports.js';

/** Lets calls without a key in, by the bucket of their address; answers the headers that tell of it. */
export type PublicLimit = (address: string) => Readonly<Record<string, string>>;

/** The name of the policy in the RateLimit headers. */
const policy = 'address';

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
  // when the bucket of an address will be full again
  const arrivals = new LRUCache<string, number>({ max: addressesMax });
  return (address) => {
    const nowUs = Math.round(nowMs() * 1000);
    const rate = { perSecond, burst };
    const { decision, arrivalUs } = takeTokens(arrivals.get(address), nowUs, rate, 1);
    const headers = rateHeaders(policy, rate, decision);
    if (!decision.isAllowed) {
      throw new LimitError('rate_limited', 'Too many requests from your address; wait as long as Retry-After says.', {
        headers,
        retryAfterSeconds: retryAfterSeconds(decision.retryAfterUs),
      });
    }
    arrivals.set(address, arrivalUs);
    return headers;
  };
}
