/** A transaction should take so long: a project's changes wait for it, and live points for theirs. */
const durationMs = { short: 100, long: 300 } as const;

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
