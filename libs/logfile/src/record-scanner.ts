import { columnsMax } from '@weir/parser-configuration';
import { recordBytesMax, recordLinesMax } from './limits.js';

const lf = 10;
const cr = 13;
const quoteByte = 34;
/** The bytes that delimit cells. */
export const delimiterBytes = { comma: [44], semicolon: [59], tab: [9], pipe: [124], whitespace: [32, 9] } as const;

/** What a byte may be to a record; 0 is what only belongs to its cell. */
const isDelimiter = 1;
const isLineEnd = 2;
const isQuote = 3;
const isNul = 4;
const isHigh = 5;

/** How a record ended. */
export type RecordOutcome = 'record' | 'needs_bytes' | 'unclosed_quote' | 'too_long';

/** How a cell stands in the bytes: as it is, or with a quote that its text does not have. */
export const plainCell = 0;
const quotedCell = 1;

/**
 * Finds the cells of one record in a single pass over its bytes. The places of the last record stay in
 * the fields until the next one is scanned.
 */
export class RecordScanner {
  /** Cells; only as many as a configuration may point at have a place in the arrays. */
  count = 0;
  readonly starts = new Int32Array(columnsMax);
  readonly ends = new Int32Array(columnsMax);
  readonly kinds = new Uint8Array(columnsMax);
  /** Whether a cell that has no place in the arrays holds anything. */
  hasTextBeyond = false;
  hasNul = false;
  /** Whether there are bytes outside of ASCII. */
  hasHigh = false;
  /** Where the record ends, without and with its line end. */
  contentEnd = 0;
  next = 0;
  hasLineEnd = false;
  /** The same of its first line, and how many lines it has. */
  firstContentEnd = 0;
  firstNext = 0;
  lines = 1;

  readonly #classes = new Uint8Array(256);
  readonly #skipsEmptyRuns: boolean;

  constructor(delimiter: keyof typeof delimiterBytes, hasQuotes: boolean) {
    this.#classes.fill(isHigh, 128);
    this.#classes[0] = isNul;
    this.#classes[lf] = isLineEnd;
    this.#classes[cr] = isLineEnd;
    if (hasQuotes) this.#classes[quoteByte] = isQuote;
    for (const byte of delimiterBytes[delimiter]) this.#classes[byte] = isDelimiter;
    this.#skipsEmptyRuns = delimiter === 'whitespace';
  }

  /** Scans the record at `from`. Unless `isAll`, more bytes may follow after `end`. */
  scan(bytes: Uint8Array, from: number, end: number, isAll: boolean): RecordOutcome {
    const classes = this.#classes;
    const { starts, ends, kinds } = this;
    const skipsEmptyRuns = this.#skipsEmptyRuns;
    let count = 0;
    this.lines = 1;
    this.hasNul = false;
    this.hasHigh = false;
    this.hasTextBeyond = false;
    this.hasLineEnd = false;
    let at = from;
    let cellStart = from;
    // of a quoted cell whose text ends before the delimiter
    let cellEnd = -1;
    let kind = plainCell;
    // only blanks may stand before an opening quote
    let mayOpen = true;
    for (; at < end; at++) {
      const byteClass = classes[bytes[at] as number];
      if (byteClass === 0) continue;
      if (byteClass === isDelimiter) {
        if (at > cellStart || cellEnd >= 0 || !skipsEmptyRuns) {
          if (count < columnsMax) {
            starts[count] = cellStart;
            ends[count] = cellEnd < 0 ? at : cellEnd;
            kinds[count] = kind;
          } else this.#noteBeyond(bytes, cellStart, at);
          count++;
          cellEnd = -1;
          kind = plainCell;
        }
        cellStart = at + 1;
        mayOpen = true;
      } else if (byteClass === isLineEnd) {
        if (bytes[at] === cr && at + 1 === end && !isAll) return 'needs_bytes';
        this.hasLineEnd = true;
        break;
      } else if (byteClass === isNul) this.hasNul = true;
      else if (byteClass === isHigh) this.hasHigh = true;
      else if (mayOpen) {
        mayOpen = false;
        if (!isBlank(bytes, cellStart, at)) continue;
        const close = this.#closingQuote(bytes, from, at + 1, end, isAll);
        if (close === needsBytes) return 'needs_bytes';
        if (close === neverClosed && this.lines === 1) return this.#cutOff(end);
        if (close < 0) return this.#tooLong();
        let after = close + 1;
        while (after < end && isBlankInCell(bytes[after] as number, classes)) after++;
        if (after === end && !isAll) return 'needs_bytes';
        const follows = after === end ? isLineEnd : classes[bytes[after] as number];
        if (!this.#hasDoubled && (follows === isDelimiter || follows === isLineEnd)) {
          cellStart = at + 1;
          cellEnd = close;
        } else {
          kind = quotedCell;
          cellStart = at;
        }
        at = after - 1;
      }
    }
    if (at - from > recordBytesMax) return this.#tooLong();
    if (at === end && !isAll) return 'needs_bytes';
    if (at > cellStart || cellEnd >= 0 || !skipsEmptyRuns) {
      if (count < columnsMax) {
        starts[count] = cellStart;
        ends[count] = cellEnd < 0 ? at : cellEnd;
        kinds[count] = kind;
      } else this.#noteBeyond(bytes, cellStart, at);
      count++;
    }
    this.count = count;
    this.contentEnd = at;
    this.next = this.hasLineEnd ? afterLineEnd(bytes, at, end) : at;
    if (this.lines === 1) {
      this.firstContentEnd = at;
      this.firstNext = this.next;
    }
    return 'record';
  }

  /** Whether the quoted cell that was closed last has a doubled quote. */
  #hasDoubled = false;

  /** The place of the quote that closes what was opened before `start`, or why there is none. */
  #closingQuote(bytes: Uint8Array, from: number, start: number, end: number, isAll: boolean): number {
    this.#hasDoubled = false;
    let at = start;
    while (at < end) {
      const byte = bytes[at] as number;
      if (byte === quoteByte) {
        if (at + 1 === end && !isAll) return needsBytes;
        if (bytes[at + 1] !== quoteByte || at + 1 === end) return at - from > recordBytesMax ? tooLong : at;
        this.#hasDoubled = true;
        at += 2;
      } else if (byte === lf || byte === cr) {
        if (at - from > recordBytesMax) return tooLong;
        if (byte === cr && at + 1 === end && !isAll) return needsBytes;
        const next = afterLineEnd(bytes, at, end);
        if (this.lines++ === 1) {
          this.firstContentEnd = at;
          this.firstNext = next;
        }
        if (this.lines > recordLinesMax) return tooLong;
        at = next;
      } else {
        if (byte >= 128) this.hasHigh = true;
        else if (byte === 0) this.hasNul = true;
        at++;
      }
    }
    if (at - from > recordBytesMax) return tooLong;
    return isAll ? neverClosed : needsBytes;
  }

  /** A record of several lines that does not end in time: its first line alone is at fault. */
  #tooLong(): RecordOutcome {
    if (this.lines === 1) return 'too_long';
    this.contentEnd = this.firstContentEnd;
    this.next = this.firstNext;
    this.hasLineEnd = true;
    this.lines = 1;
    return 'unclosed_quote';
  }

  /** The file ends within the quotes, in the line in which they open. */
  #cutOff(end: number): RecordOutcome {
    this.contentEnd = end;
    this.next = end;
    this.firstContentEnd = end;
    this.firstNext = end;
    return 'unclosed_quote';
  }

  #noteBeyond(bytes: Uint8Array, start: number, end: number): void {
    if (!isBlank(bytes, start, end)) this.hasTextBeyond = true;
  }
}

const needsBytes = -1;
const tooLong = -2;
const neverClosed = -3;

/** A blank that does not end the cell. */
function isBlankInCell(byte: number, classes: Uint8Array): boolean {
  return (byte === 32 || byte === 9) && classes[byte] !== isDelimiter;
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 32 && bytes[at] !== 9) return false;
  return true;
}

/** Where the next line begins; CR LF is one line end. */
export function afterLineEnd(bytes: Uint8Array, at: number, end: number): number {
  return bytes[at] === cr && at + 1 < end && bytes[at + 1] === lf ? at + 2 : at + 1;
}

/** The place of the next line end, or -1. A CR that may yet be followed by its LF is none. */
export function findLineEnd(bytes: Uint8Array, from: number, end: number, isAll: boolean): number {
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (byte === lf || (byte === cr && (at + 1 < end || isAll))) return at;
  }
  return -1;
}
