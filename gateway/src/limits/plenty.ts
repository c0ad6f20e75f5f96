import { LRUCache } from 'lru-cache';
import type { Decision, Rate } from './gcra.js';

/** Rates that are remembered; those used least lately are forgotten first. */
const ratesMax = 10_000;
/** What was left is taken to be left for so long: other gateways take of it too. */
const knownMs = 100;

interface Known {
  remaining: number;
  atMs: number;
  /** Tokens that this gateway has asked for since, and was not answered. */
  asked: number;
}

/**
 * Rates of which plenty is left: more than half of the burst was, a moment ago. Whoever takes a token of one need not wait
 * to be told that it may: should others take the other half within that moment, no more is given away than they took.
 */
export class Plenty {
  readonly #rates = new LRUCache<string, Known>({ max: ratesMax });

  /** Whether plenty is left of a rate. */
  isLeft(key: string, { burst }: Rate, nowMs = performance.now()): boolean {
    const known = this.#rates.get(key);
    return known !== undefined && nowMs - known.atMs < knownMs && known.remaining - known.asked > burst / 2;
  }

  /** Notes that a token is asked for, and then what was left after it. */
  async watch<T extends Decision>(key: string, taking: Promise<T>): Promise<T> {
    const known = this.#rates.get(key) ?? { remaining: 0, atMs: Number.NEGATIVE_INFINITY, asked: 0 };
    this.#rates.set(key, known);
    known.asked++;
    try {
      const decision = await taking;
      known.remaining = decision.remaining;
      known.atMs = performance.now();
      return decision;
    } finally {
      known.asked--;
    }
  }
}
