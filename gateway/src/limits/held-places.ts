/** So many things of a name may be in progress at a time. */
export interface Places {
  readonly key: string;
  readonly max: number;
}

/** What is in progress in this gateway, and of which the other gateways have yet to be told. */
export class HeldPlaces {
  readonly #counts = new Map<string, number>();
  readonly #untold = new Set<string>();

  countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  /** Each place that is taken is given back once. */
  take(key: string, count: number): void {
    if (count > 0) this.#counts.set(key, this.countOf(key) + count);
  }

  giveBack(key: string): void {
    const count = this.countOf(key) - 1;
    if (count > 0) this.#counts.set(key, count);
    else this.#counts.delete(key);
    this.#untold.add(key);
  }

  /** What is to be told. */
  get untold(): ReadonlySet<string> {
    return this.#untold;
  }

  /** The others know of `count` places: that is all, unless some were given back meanwhile. */
  told(key: string, count: number): void {
    if (this.countOf(key) === count) this.#untold.delete(key);
  }

  /** It is not known what the others know. */
  tellAgain(key: string): void {
    this.#untold.add(key);
  }

  /** What is held is told again before it is taken for that of a dead gateway. */
  tellAll(): void {
    for (const key of this.#counts.keys()) this.#untold.add(key);
  }
}
