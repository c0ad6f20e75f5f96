import { LRUCache } from 'lru-cache';
import { type Decision, type Rate, takeTokens } from './gcra.js';

/** Keys that are remembered; those used least lately are forgotten first. */
const keysMax = 100_000;

/** Rates of this process alone, for when there is no Redis to share them through. */
export class LocalRates {
  readonly #arrivals = new LRUCache<string, number>({ max: keysMax });
  readonly #replicas: number;

  /** @param replicas - how many processes divide a rate among themselves */
  constructor(replicas: number) {
    this.#replicas = replicas;
  }

  /** Takes `cost` tokens of this process's share of a rate. */
  take(key: string, rate: Rate, cost: number): Decision {
    const share = {
      perSecond: rate.perSecond / this.#replicas,
      // a smaller burst than the cost would refuse for ever
      burst: Math.max(Math.ceil(rate.burst / this.#replicas), cost),
    };
    const nowUs = Math.floor(performance.now() * 1000);
    const { decision, arrivalUs } = takeTokens(this.#arrivals.get(key), nowUs, share, cost);
    this.#arrivals.set(key, arrivalUs);
    return decision;
  }
}
