import { RE2JS } from 're2js';
import type { TextEncoding } from './text-encoding.js';

/** Steps of expressions' programs times bytes: what the search of one line may take, and what calls for a pause. */
const searchStepsMax = 6_000_000;
const pauseSteps = 1_000_000;
/** What the fastest search of a line takes. */
const leastSteps = 100;

/** The work of searches, which may be thousands of times that of reading. */
export class SearchWork {
  #steps = 0;

  add(steps: number): void {
    this.#steps += leastSteps + steps;
  }

  /** Whether others should have their turn. */
  get isMuch(): boolean {
    return this.#steps >= pauseSteps;
  }

  pause(): void {
    this.#steps = 0;
  }
}

/** A pattern that means itself, but for an anchor at its start. */
const plain = /^(\^?)([ -~]+)$/;
const special = /[\\.+*?()|[\]{}^$]/;

/** A mere text, which is looked for much faster than an expression. */
interface SearchedText {
  readonly isAtStart: boolean;
  readonly bytes: Buffer;
}

function textOf(pattern: string): SearchedText | undefined {
  const [, anchor, text = ''] = plain.exec(pattern) ?? [];
  if (text === '' || special.test(text)) return undefined;
  return { isAtStart: anchor === '^', bytes: Buffer.from(text, 'latin1') };
}

/** Whether a line begins with bytes. */
export function startsWith(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start < wanted.length) return false;
  for (let at = 0; at < wanted.length; at++) if (bytes[start + at] !== wanted[at]) return false;
  return true;
}

/** A search of lines for any of some regular expressions of RE2's dialect. */
export class LineSearch {
  readonly #texts: readonly SearchedText[];
  readonly #expressions: readonly { readonly expression: RE2JS; readonly size: number }[];
  readonly #encoding: TextEncoding;
  readonly #work: SearchWork;
  /**
   * How long a line may be: the search of one cannot be interrupted. With large expressions that is some thousand bytes,
   * with usual ones many more than rows have. A part of a line would not do, since expressions may be about its end.
   */
  readonly bytesMax: number;

  constructor(patterns: readonly string[], encoding: TextEncoding, work: SearchWork) {
    this.#texts = patterns.map(textOf).filter((text) => text !== undefined);
    this.#expressions = patterns
      .filter((pattern) => textOf(pattern) === undefined)
      .map((pattern) => {
        const expression = RE2JS.compile(pattern);
        return { expression, size: expression.programSize() };
      });
    const sizes = this.#expressions.reduce((sum, { size }) => sum + size, 0);
    this.bytesMax = Math.floor(searchStepsMax / sizes);
    this.#encoding = encoding;
    this.#work = work;
  }

  /** Whether one of them is found in a line; undefined where it is too long to be searched. */
  finds(bytes: Uint8Array, start: number, end: number): boolean | undefined {
    for (const { isAtStart, bytes: wanted } of this.#texts) {
      if (isAtStart && startsWith(bytes, start, end, wanted)) return true;
      if (!isAtStart && Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).includes(wanted)) return true;
    }
    if (this.#expressions.length === 0) return false;
    if (end - start > this.bytesMax) return undefined;
    const line = this.#encoding.decode(bytes, start, end);
    for (const { expression, size } of this.#expressions) {
      this.#work.add(line.length * size);
      if (expression.matcher(line).find()) return true;
    }
    return false;
  }
}
