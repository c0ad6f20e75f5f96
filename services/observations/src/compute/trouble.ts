import type { ProcessorEvents } from '../events.js';

/** Tells once that something in the background fails, and once that it goes on. */
export class Trouble {
  readonly #events: ProcessorEvents;
  readonly #what: string;
  #isThere = false;

  constructor(events: ProcessorEvents, what: string) {
    this.#events = events;
    this.#what = what;
  }

  begins(error: unknown): void {
    if (!this.#isThere) this.#events.backgroundFailed({ what: this.#what, error });
    this.#isThere = true;
  }

  isOver(): void {
    if (this.#isThere) this.#events.backgroundBack({ what: this.#what });
    this.#isThere = false;
  }
}
