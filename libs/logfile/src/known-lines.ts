import { recordBytesMax } from './limits.js';

const linesMax = 1000;

function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/**
 * Lines before the data, to be recognized when they come again. Their place is bounded, and a preamble may have no
 * end: the last ones are kept, since those closest to the data are the header's.
 */
export class KnownLines {
  /** A character a byte, from the oldest on. */
  readonly #texts = new Set<string>();
  /** The oldest one after the other: a new iterator would pass by the places of all that were forgotten. */
  readonly #oldest = this.#texts.values();
  /** How many of them have a length, to be looked up fast: most lines of data have another. */
  readonly #lengths = new Uint16Array(1024);
  #bytes = 0;

  add(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start;
    if (length === 0) return;
    const text = textOf(bytes, start, end);
    this.#forget(text);
    while (this.#texts.size === linesMax || this.#bytes + length > recordBytesMax) {
      this.#forget(this.#oldest.next().value ?? '');
    }
    this.#texts.add(text);
    this.#count(length, 1);
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    return this.#lengths[(end - start) & 1023] !== 0 && this.#texts.has(textOf(bytes, start, end));
  }

  #forget(text: string): void {
    if (this.#texts.delete(text)) this.#count(text.length, -1);
  }

  #count(length: number, lines: 1 | -1): void {
    this.#bytes += lines * length;
    this.#lengths[length & 1023] = (this.#lengths[length & 1023] as number) + lines;
  }
}
