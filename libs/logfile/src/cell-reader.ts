import { columnsMax } from '@weir/parser-configuration';
import { plainCell, type RecordScanner } from './record-scanner.js';
import { type TextEncoding, utf8 } from './text-encoding.js';

const blank = /[\s\u0085]/;

/** A text without the Unicode white space at its ends. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && blank.test(text[start] as string)) start++;
  while (end > start && blank.test(text[end - 1] as string)) end--;
  return text.slice(start, end);
}

const isBlankByte = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);

/**
 * The trimmed bytes of one cell after the other: `bytes` from `start` up to `end`. They are those of the
 * file where they can be; a cell with doubled quotes or blanks outside of ASCII is put into a place of its own, as UTF-8.
 */
export class CellReader {
  bytes: Uint8Array = Buffer.alloc(0);
  start = 0;
  end = 0;
  #file: Uint8Array = this.bytes;
  #isOwn = false;
  readonly #scanner: RecordScanner;
  readonly #encoding: TextEncoding;

  constructor(scanner: RecordScanner, encoding: TextEncoding) {
    this.#scanner = scanner;
    this.#encoding = encoding;
  }

  /** Begins with a record that was scanned. */
  begin(file: Uint8Array): void {
    this.#file = file;
  }

  get isEmpty(): boolean {
    return this.start === this.end;
  }

  /** Moves to a cell, from 0; one that the record does not have is empty. */
  load(index: number): void {
    const scanner = this.#scanner;
    const bytes = this.#file;
    this.bytes = bytes;
    this.#isOwn = false;
    if (index >= scanner.count || index >= columnsMax) {
      this.start = 0;
      this.end = 0;
      return;
    }
    let start = scanner.starts[index] as number;
    let end = scanner.ends[index] as number;
    while (start < end && isBlankByte(bytes[start] as number)) start++;
    while (end > start && isBlankByte(bytes[end - 1] as number)) end--;
    this.start = start;
    this.end = end;
    if (scanner.kinds[index] !== plainCell) this.#copy(unquote(this.#encoding.decode(bytes, start, end)));
    else if (scanner.hasHigh && start < end && ((bytes[start] as number) >= 128 || (bytes[end - 1] as number) >= 128)) {
      const text = this.#encoding.decode(bytes, start, end);
      const trimmed = trim(text);
      if (trimmed.length < text.length) this.#copy(trimmed);
    }
  }

  /** Whether the bytes are those of the file. */
  get isInFile(): boolean {
    return !this.#isOwn;
  }

  /** The text of the cell. */
  text(): string {
    return (this.#isOwn ? utf8 : this.#encoding).decode(this.bytes, this.start, this.end);
  }

  /** Whether the bytes of the cell are UTF-8, as far as they are not ASCII. */
  get isUtf8(): boolean {
    return this.#isOwn || this.#encoding.isUtf8;
  }

  #copy(text: string): void {
    this.bytes = Buffer.from(trim(text), 'utf8');
    this.start = 0;
    this.end = this.bytes.length;
    this.#isOwn = true;
  }
}

/** The text of a cell that begins with a quote: to the quote that closes it, and what stands after that as it is. */
function unquote(cell: string): string {
  let close = cell.indexOf('"', 1);
  while (cell[close + 1] === '"') close = cell.indexOf('"', close + 2);
  return close < 0 ? cell.slice(1) : cell.slice(1, close).replaceAll('""', '"') + cell.slice(close + 1);
}
