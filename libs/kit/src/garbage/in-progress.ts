/** Something that can be in progress. */
export interface Placed {
  /** Where it stands among the others; only `InProgress` writes it. */
  place: number;
}

/**
 * What is in progress at a time, such as requests: a Set that forgets what has left it. V8 lays a Set out anew after so many
 * entries, and the table of before keeps what was in it, and the next table. Once one such table is old, all of them stay until
 * all garbage is collected, and a good part of what was ever in the Set is copied about with them.
 */
export class InProgress<T extends Placed> implements Iterable<T> {
  readonly #all: T[] = [];

  /** How many there are. */
  get size(): number {
    return this.#all.length;
  }

  /** Adds one that is not in progress. */
  enter(one: T): void {
    one.place = this.#all.length;
    this.#all.push(one);
  }

  /** Takes one away; nothing happens when it is not there. */
  leave(one: T): void {
    if (this.#all[one.place] !== one) return;
    const last = this.#all.pop() as T;
    if (last === one) return;
    this.#all[one.place] = last;
    last.place = one.place;
  }

  /** Those that are in progress now, whatever enters or leaves meanwhile. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#all].values();
  }
}
