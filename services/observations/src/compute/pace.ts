/**
 * A transaction should not take longer: a project's changes wait for it, and live points for theirs. Full ones take a
 * fifth of that; only where each instant is dear, or the database slow, is there less in one.
 */
const durationMs = { short: 250, long: 750 } as const;

/** How much is done in one transaction: all that may be, unless that takes too long. */
export class Pace {
  readonly #max: number;
  #amount: number;

  constructor(max: number) {
    this.#max = max;
    this.#amount = max;
  }

  next(): number {
    return this.#amount;
  }

  /** Does some work, and learns from how long it took; less of it is done after a failure. */
  async measure<T>(amount: number, work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    let tookMs = Number.POSITIVE_INFINITY;
    try {
      const result = await work();
      tookMs = performance.now() - startedMs;
      return result;
    } finally {
      if (tookMs > durationMs.long) this.#amount = Math.max(1, Math.floor(Math.min(amount, this.#amount) / 2));
      else if (tookMs < durationMs.short) this.#amount = Math.min(this.#max, this.#amount * 2);
    }
  }
}
