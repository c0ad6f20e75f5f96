/** Lines are passed on when there are so many characters of them, or so long after the first. */
const together = { charactersMin: 8192, ms: 100 } as const;

/**
 * Lines of a log that are written together, a moment later. pino's own destination can wait for company too, but
 * measures all that waits with every line: a line cost five times what it costs alone, and 8 KiB of garbage.
 */
export class GatheredLines {
  readonly #pass: (text: string) => void;
  #text = '';
  #timer: NodeJS.Timeout | undefined;

  /** @param pass - takes whole lines */
  constructor(pass: (text: string) => void) {
    this.#pass = pass;
  }

  write(line: string): void {
    this.#text += line;
    if (this.#text.length >= together.charactersMin) this.passOn();
    else this.#timer ??= setTimeout(() => this.passOn(), together.ms).unref();
  }

  /** Passes on what there is, now. */
  passOn(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.#pass(text);
  }
}
