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
