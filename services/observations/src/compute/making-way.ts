import { setTimeout as delay } from 'node:timers/promises';

/** Points are coming in for so long after the last ones. */
const comingMs = 100;
/** No rest is longer: it may hold a transaction open, which the database ends after a minute without a statement. */
const restMsMax = 5000;

/** How work in the background makes way for points that come in beside it. */
export class MakingWay {
  #cameMs = Number.NEGATIVE_INFINITY;

  /** Tells that points have come in. */
  pointsCame(): void {
    this.#cameMs = performance.now();
  }

  /**
   * Does a part of such work. When points came meanwhile, or a moment before, it rests for as long as that took, or so many
   * times as long: they share processors and the database with it, and at least half of the time these are theirs alone.
   */
  async during<T>(signal: AbortSignal, part: () => Promise<T>, rests = 1): Promise<T> {
    const startedMs = performance.now();
    const done = await part();
    const tookMs = performance.now() - startedMs;
    if (this.#cameMs > startedMs - comingMs)
      await delay(Math.min(rests * tookMs, restMsMax), undefined, { signal }).catch(() => undefined);
    return done;
  }
}
