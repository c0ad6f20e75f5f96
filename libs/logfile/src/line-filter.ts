import type { ParserConfiguration } from '@weir/parser-configuration';
import { KnownLines } from './known-lines.js';
import { LineSearch, SearchWork, startsWith } from './line-search.js';
import type { TextEncoding } from './text-encoding.js';

/**
 * Tells the lines among the data that are none: comments, what the configuration filters, and lines of
 * a header block that appears again.
 */
export class LineFilter {
  readonly work = new SearchWork();
  /** Lines before the data. */
  readonly known = new KnownLines();
  readonly search: LineSearch;
  readonly #encoding: TextEncoding;
  readonly #commentPrefix: string;
  /** The same as bytes, which comments begin with in whatever encoding if it is ASCII. */
  readonly #commentBytes: Uint8Array;

  constructor({ comment_prefix = '', skip_rows_matching }: ParserConfiguration, encoding: TextEncoding) {
    this.search = new LineSearch(skip_rows_matching, encoding, this.work);
    this.#encoding = encoding;
    this.#commentPrefix = comment_prefix;
    this.#commentBytes = Buffer.from(comment_prefix, 'utf8');
  }

  /** Whether a line is to be skipped; undefined where it is too long to be searched for that. */
  skips(bytes: Uint8Array, start: number, end: number): boolean | undefined {
    if (this.#isComment(bytes, start, end) || this.known.has(bytes, start, end)) return true;
    return this.search.finds(bytes, start, end);
  }

  #isComment(bytes: Uint8Array, start: number, end: number): boolean {
    const prefix = this.#commentPrefix;
    if (prefix === '') return false;
    if (this.#commentBytes.length === prefix.length) return startsWith(bytes, start, end, this.#commentBytes);
    return this.#encoding.decode(bytes, start, end).startsWith(prefix);
  }
}
