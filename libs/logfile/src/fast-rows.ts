import type { ParserConfiguration } from '@weir/parser-configuration';
import type { WidePlan } from './layout-plan.js';
import { recordBytesMax } from './limits.js';
import type { LineFilter } from './line-filter.js';
import { delimiterBytes } from './record-scanner.js';
import { markOf, type RowFrame } from './row-frame.js';
import type { WideRows } from './wide-rows.js';

const cr = 13;
const lf = 10;
const quote = 34;
const isOther = 0;
const ends = 1;
const isSpecial = 2;

/** What a column is to the fast path; from `firstValue` on, the place of its value. */
const isIgnored = 0;
const isTime = 1;
const firstValue = 2;

/** With no more digits than this, a whole number is exact in a double, and so are powers of ten up to it. */
const exactDigits = 15;
const powers = Float64Array.from({ length: exactDigits + 1 }, (_, exponent) => 10 ** exponent);

/** Where a row can't be read here. */
const notHere = -1;

/**
 * Reads the rows that nearly all files are made of in one pass over their bytes: a timestamp in one column, plain
 * numbers, nothing unusual. What is not as plain as that, be it a blank, a marker or an error, is left to the other
 * reader of rows, which knows all rules; both give the same.
 */
export class FastRows {
  readonly #rows: WideRows;
  readonly #plan: WidePlan;
  readonly #frame: RowFrame;
  readonly #filter: LineFilter;
  readonly #columns: Uint16Array;
  readonly #classes = new Uint8Array(256);
  readonly #delimiter: number;
  readonly #mark: number;
  readonly #hasQuotes: boolean;
  readonly #hasHeader: boolean;
  readonly #timeLength: number;
  readonly #values: Float64Array;

  private constructor(
    configuration: ParserConfiguration,
    plan: WidePlan,
    rows: WideRows,
    frame: RowFrame,
    filter: LineFilter,
    columns: Uint16Array,
  ) {
    this.#plan = plan;
    this.#rows = rows;
    this.#frame = frame;
    this.#filter = filter;
    this.#columns = columns;
    this.#delimiter = delimiterBytes[configuration.delimiter][0];
    this.#mark = markOf(configuration);
    this.#hasQuotes = configuration.quote === 'double';
    this.#hasHeader = configuration.header.present;
    this.#timeLength = frame.timeLength;
    this.#values = rows.values;
    this.#classes.fill(isSpecial, 128);
    this.#classes[0] = isSpecial;
    if (this.#hasQuotes) this.#classes[quote] = isSpecial;
    for (const byte of [this.#delimiter, cr, lf]) this.#classes[byte] = ends;
  }

  /** The fast path of a file whose configuration allows for one; `width` is how many cells a row has. */
  static of(
    configuration: ParserConfiguration,
    plan: WidePlan,
    rows: WideRows,
    frame: RowFrame,
    filter: LineFilter,
    width: number,
  ): FastRows | undefined {
    const { delimiter, decimal_separator, timestamp } = configuration;
    const separators = `${String.fromCharCode(delimiterBytes[delimiter][0])}"\r\n`;
    const isPlainFormat =
      /^[ -~]*$/.test(timestamp.input_format) && ![...separators].some((by) => timestamp.input_format.includes(by));
    const isPlain = delimiter !== 'whitespace' && !(delimiter === 'comma' && decimal_separator === 'comma');
    if (!isPlain || !isPlainFormat || rows.onlyInstrument < 0 || frame.onlyTimeColumn < 0) return undefined;
    const columns = new Uint16Array(width);
    columns[frame.onlyTimeColumn] = isTime;
    for (const [place, { column }] of plan.values.entries()) {
      if (column.isBoolean || columns[column.index] !== isIgnored) return undefined;
      columns[column.index] = firstValue + place;
    }
    return new FastRows(configuration, plan, rows, frame, filter, columns);
  }

  /** Reads the row at `start`; where the next one begins, or a negative number where it was not read. */
  read(bytes: Uint8Array, start: number, end: number, line: number): number {
    const columns = this.#columns;
    const delimiter = this.#delimiter;
    const last = columns.length - 1;
    let at = start;
    for (let index = 0; index <= last; index++) {
      const column = columns[index] as number;
      if (column === isIgnored) at = this.#skipCell(bytes, at, end);
      else if (column === isTime) at = this.#readTime(bytes, at, end);
      else at = this.#readNumber(bytes, at, end, column - firstValue);
      if (at < 0 || at >= end) return notHere;
      if (index < last) {
        if (bytes[at] !== delimiter) return notHere;
        at++;
      }
    }
    // without a header no cell is one too many
    while (!this.#hasHeader && bytes[at] === delimiter) {
      at = this.#skipCell(bytes, at + 1, end);
      if (at < 0 || at >= end) return notHere;
    }
    let next = at + 1;
    if (bytes[at] === cr) {
      if (next >= end) return notHere;
      if (bytes[next] === lf) next++;
    } else if (bytes[at] !== lf) return notHere;
    if (at - start > recordBytesMax || this.#filter.skips(bytes, start, at) !== false) return notHere;
    return this.#rows.commitOne(line) ? next : notHere;
  }

  /** The end of a cell whose text does not matter, as long as it is plain. */
  #skipCell(bytes: Uint8Array, start: number, end: number): number {
    const classes = this.#classes;
    let at = start;
    while (at < end) {
      const byteClass = classes[bytes[at] as number];
      if (byteClass !== isOther) return byteClass === ends ? at : notHere;
      at++;
    }
    return notHere;
  }

  /** The end of the cell of the timestamp, in quotes or not. */
  #readTime(bytes: Uint8Array, start: number, end: number): number {
    const isQuoted = this.#hasQuotes && bytes[start] === quote;
    const textStart = isQuoted ? start + 1 : start;
    const textEnd = this.#timeLength > 0 ? textStart + this.#timeLength : this.#skipCell(bytes, textStart, end);
    if (textEnd <= textStart || textEnd >= end - 1) return notHere;
    // blanks at the ends are to be trimmed
    if ((bytes[textStart] as number) <= 32 || (bytes[textEnd - 1] as number) <= 32) return notHere;
    if (isQuoted && bytes[textEnd] !== quote) return notHere;
    return this.#frame.beginAt(bytes, textStart, textEnd) ? textEnd + (isQuoted ? 1 : 0) : notHere;
  }

  /** The end of the cell of a number, whose value is put into its place; an empty cell is missing. */
  #readNumber(bytes: Uint8Array, start: number, end: number, place: number): number {
    const classes = this.#classes;
    let at = start;
    if (classes[bytes[at] as number] === ends) {
      this.#values[place] = Number.NaN;
      return at;
    }
    const isNegative = bytes[at] === 45;
    if (isNegative) at++;
    let whole = 0;
    const first = at;
    let digit = 0;
    for (; at < end; at++) {
      digit = (bytes[at] as number) - 48;
      if (digit < 0 || digit > 9) break;
      whole = whole * 10 + digit;
    }
    let digits = at - first;
    let fractionDigits = 0;
    if (bytes[at] === this.#mark) {
      const fractionStart = ++at;
      for (; at < end; at++) {
        digit = (bytes[at] as number) - 48;
        if (digit < 0 || digit > 9) break;
        whole = whole * 10 + digit;
      }
      fractionDigits = at - fractionStart;
      digits += fractionDigits;
    }
    if (at >= end || digits === 0 || digits > exactDigits || classes[bytes[at] as number] !== ends) return notHere;
    const size = whole / (powers[fractionDigits] as number);
    const value = size === 0 ? 0 : isNegative ? -size : size;
    if (!(this.#plan.values[place] as WidePlan['values'][number]).column.accepts(value)) return notHere;
    this.#values[place] = value;
    return at;
  }
}
