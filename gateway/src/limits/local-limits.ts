import { LRUCache } from 'lru-cache';
import type { PlacedDecision } from './gathered-takes.js';
import { type Rate, takeTokens } from './gcra.js';
import type { HeldPlaces, Places } from './held-places.js';

/** Keys that are remembered; those used least lately are forgotten first. */
const keysMax = 100_000;

/** Limits of this process alone, for when there is no Redis to share them through. */
export class LocalLimits {
  readonly #arrivals = new LRUCache<string, number>({ max: keysMax });
  readonly #replicas: number;
  readonly #held: HeldPlaces;

  /**
   * @param replicas - how many processes divide a limit among themselves
   * @param held - what is in progress in this process, by whichever limit it came in
   */
  constructor(replicas: number, held: HeldPlaces) {
    this.#replicas = replicas;
    this.#held = held;
  }

  /** Takes `cost` tokens of this process's share of a rate, and a place of its share of those where there are some. */
  take(key: string, rate: Rate, cost: number, places?: Places): PlacedDecision {
    const share = {
      perSecond: rate.perSecond / this.#replicas,
      // a smaller burst than the cost would refuse for ever
      burst: Math.max(Math.ceil(rate.burst / this.#replicas), cost),
    };
    const isFull = places !== undefined && this.#held.countOf(places.key) >= Math.ceil(places.max / this.#replicas);
    const nowUs = Math.floor(performance.now() * 1000);
    const { decision, arrivalUs } = takeTokens(this.#arrivals.get(key), nowUs, share, isFull ? 0 : cost);
    this.#arrivals.set(key, arrivalUs);
    if (isFull) return { ...decision, isAllowed: false, isFull };
    if (decision.isAllowed && places !== undefined) this.#held.take(places.key, 1);
    return { ...decision, isFull };
  }
}
