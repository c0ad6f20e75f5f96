import type { ParserConfiguration } from '@weir/parser-configuration';
import { RE2JS } from 're2js';
import { KnownLines } from './known-lines.js';
import type { TextEncoding } from './text-encoding.js';

/** Something that is searched for in a line. */
export type LineMatcher = (bytes: Uint8Array, start: number, end: number) => boolean;

/** Steps of an expression's program times characters: what a search may take, and what calls for a pause. */
const searchStepsMax = 300_000;
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

/**
 * A search for a regular expression of RE2's dialect; for a mere text a faster one. The larger the expression, the less
 * of a very long line is searched: some 100 characters for the largest that a configuration may have, 6,000 for usual ones.
 */
export function matcherOf(pattern: string, encoding: TextEncoding, work: SearchWork): LineMatcher {
  const [, anchor, text = ''] = plain.exec(pattern) ?? [];
  if (text === '' || special.test(text)) {
    const expression = RE2JS.compile(pattern);
    const size = expression.programSize();
    const bytesMax = Math.floor(searchStepsMax / size);
    return (bytes, start, end) => {
      const length = Math.min(end - start, bytesMax);
      work.add(length * size);
      return expression.matcher(encoding.decode(bytes, start, start + length)).find();
    };
  }
  const wanted = Buffer.from(text, 'latin1');
  if (anchor === '^') return (bytes, start, end) => startsWith(bytes, start, end, wanted);
  return (bytes, start, end) => Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).includes(wanted);
}

function startsWith(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (end - start < wanted.length) return false;
  for (let at = 0; at < wanted.length; at++) if (bytes[start + at] !== wanted[at]) return false;
  return true;
}

/**
 * Tells the lines among the data that are none: comments, what the configuration filters, and lines of
 * a header block that appears again.
 */
export class LineFilter {
  readonly work = new SearchWork();
  readonly #matchers: LineMatcher[];
  /** Lines before the data. */
  readonly known = new KnownLines();

  constructor({ comment_prefix, skip_rows_matching }: ParserConfiguration, encoding: TextEncoding) {
    this.#matchers = skip_rows_matching.map((pattern) => matcherOf(pattern, encoding, this.work));
    if (comment_prefix === undefined) return;
    const prefix = Buffer.from(comment_prefix, 'utf8');
    const isAscii = prefix.length === comment_prefix.length;
    this.#matchers.unshift(
      isAscii
        ? (bytes, start, end) => startsWith(bytes, start, end, prefix)
        : (bytes, start, end) => encoding.decode(bytes, start, end).startsWith(comment_prefix),
    );
  }

  /** Whether a line is to be skipped. */
  skips(bytes: Uint8Array, start: number, end: number): boolean {
    for (const matches of this.#matchers) if (matches(bytes, start, end)) return true;
    return this.known.has(bytes, start, end);
  }
}
