/** A rate: `burst` tokens at most, refilled by `perSecond`. */
export interface Rate {
  readonly perSecond: number;
  readonly burst: number;
}

/** What a rate says to one request. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Whole tokens left after this request. */
  readonly remaining: number;
  /** Microseconds until the same cost would be allowed; 0 when it was. */
  readonly retryAfterUs: number;
  /** Microseconds until all tokens are back. */
  readonly resetUs: number;
}

/**
 * Microseconds that one token takes to come back, to the quarter: with that, sums of intervals and
 * clocks since 1970 are exact in a double (until 2041), and a burst is allowed to its last token.
 */
export function intervalUsOf(rate: Rate): number {
  return Math.round(4_000_000 / rate.perSecond) / 4;
}

/**
 * The generic cell rate algorithm (ITU-T I.371, virtual scheduling): all state is one instant, the
 * theoretical arrival time, at which all tokens would be back. A refusal changes nothing.
 *
 * @param arrivalUs - the state, or undefined for none; on the same clock as `nowUs`
 * @param nowUs - whole microseconds
 * @returns the decision and the new state
 */
export function takeTokens(
  arrivalUs: number | undefined,
  nowUs: number,
  rate: Rate,
  cost: number,
): { readonly decision: Decision; readonly arrivalUs: number } {
  const intervalUs = intervalUsOf(rate);
  const burstUs = rate.burst * intervalUs;
  const before = Math.max(arrivalUs ?? nowUs, nowUs);
  const after = before + cost * intervalUs;
  const excessUs = after - nowUs - burstUs;
  const isAllowed = excessUs <= 0;
  const arrival = isAllowed ? after : before;
  return {
    arrivalUs: arrival,
    decision: {
      isAllowed,
      remaining: Math.max(0, Math.floor((burstUs - (arrival - nowUs)) / intervalUs)),
      retryAfterUs: isAllowed ? 0 : excessUs,
      resetUs: arrival - nowUs,
    },
  };
}

/**
 * `takeTokens` for Redis, by its own clock, for many callers in turn. KEYS[1] holds the state; ARGV: microseconds a
 * token, burst, cost, callers. Answers how many were allowed, and as it stands then: tokens remaining, retry after and
 * reset in whole microseconds.
 */
export const takeTokensLua = `
local interval, burst = tonumber(ARGV[1]), tonumber(ARGV[2])
local cost, callers = tonumber(ARGV[3]) * interval, tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local full = now + burst * interval
local arrival = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
-- what costs nothing only asks
local allowed = cost == 0 and callers or math.max(0, math.min(callers, math.floor((full - arrival) / cost)))
if allowed * cost > 0 then
  arrival = arrival + allowed * cost
  redis.call('SET', KEYS[1], string.format('%.17g', arrival), 'PX', math.ceil((arrival - now) / 1000))
end
local remaining = math.max(0, math.floor((full - arrival) / interval))
return { allowed, remaining, math.max(0, math.ceil(arrival + cost - full)), math.ceil(arrival - now) }
`;
