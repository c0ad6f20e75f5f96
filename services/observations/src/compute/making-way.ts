import { setTimeout as delay } from 'node:timers/promises';

/** How recalculations make way for points that come in beside them. */
export class MakingWay {
  #cameMs = Number.NEGATIVE_INFINITY;

  /** Tells that points have come in. */
  pointsCame(): void {
    this.#cameMs = performance.now();
  }

  /**
   * Does a part of a recalculation. When points came meanwhile it rests for as long as that took: they share processors and
   * the database with it, and at least half of the time these are theirs alone.
   */
  async during<T>(signal: AbortSignal, part: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    const done = await part();
    const endedMs = performance.now();
    if (this.#cameMs > startedMs) await delay(endedMs - startedMs, undefined, { signal }).catch(() => undefined);
    return done;
  }
}
