import { LRUCache } from 'lru-cache';
import type { PlacedDecision } from './gathered-takes.js';

/** Keys that are remembered; those used least lately are forgotten first. */
const keysMax = 100_000;

interface Standing {
  readonly askedMs: number;
  readonly decision: PlacedDecision;
}

/**
 * Refusals of a single token that hold still. Tokens come back with time alone, so a rate that had none goes on having
 * none for as long as its refusal said, whoever asks: nobody has to. A key far above its limit is refused so at hardly any cost.
 */
export class StandingRefusals {
  readonly #standing = new LRUCache<string, Standing>({ max: keysMax });

  /** What a key is refused with now; undefined when that must be asked. */
  of(key: string, nowMs: number): PlacedDecision | undefined {
    const standing = this.#standing.get(key);
    if (standing === undefined) return undefined;
    const { askedMs, decision } = standing;
    const elapsedUs = (nowMs - askedMs) * 1000;
    if (elapsedUs >= decision.retryAfterUs) {
      this.#standing.delete(key);
      return undefined;
    }
    return {
      ...decision,
      retryAfterUs: decision.retryAfterUs - elapsedUs,
      resetUs: decision.resetUs - elapsedUs,
    };
  }

  /** @param askedMs - before it was decided, so that it is never held for longer than it holds */
  keep(key: string, askedMs: number, decision: PlacedDecision): void {
    if (!decision.isAllowed && !decision.isFull) this.#standing.set(key, { askedMs, decision });
  }
}
