/** Counts what is in progress by key, in this process. */
export class Concurrency {
  readonly #counts = new Map<string, number>();

  /** Takes one of `max` places; false when none is free. Each true is given back by one `leave`. */
  enter(key: string, max: number): boolean {
    const count = this.#counts.get(key) ?? 0;
    if (count >= max) return false;
    this.#counts.set(key, count + 1);
    return true;
  }

  leave(key: string): void {
    const count = this.#counts.get(key) ?? 0;
    if (count > 1) this.#counts.set(key, count - 1);
    else this.#counts.delete(key);
  }
}
