import { columnsMax } from '@weir/parser-configuration';
import type { BatchBuilder } from './batch-builder.js';
import { CellReader } from './cell-reader.js';
import { ColumnFinder } from './columns.js';
import { FastRows } from './fast-rows.js';
import { planLong, planWide } from './layout-plan.js';
import { rawCharactersMax, recordBytesMax, recordLinesMax } from './limits.js';
import type { LineFilter } from './line-filter.js';
import type { LineSource } from './line-source.js';
import type { LogfileBatch, LogfileColumn, LogfileOptions } from './logfile.js';
import { LongRows } from './long-rows.js';
import type { RecordScanner } from './record-scanner.js';
import { type RowFault, rowFault } from './row-fault.js';
import { markOf, RowFrame, type RowOutcome, type RowParts } from './row-frame.js';
import type { TextEncoding } from './text-encoding.js';
import { VariableNames } from './variable-names.js';
import { WideRows } from './wide-rows.js';

/** Reads the rows of a file one by one into a batch. */
export class RowReader {
  /** Without a header, the columns of the first row. */
  columns: LogfileColumn[] = [];
  readonly counts = { rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };
  readonly #header: readonly LogfileColumn[];
  readonly #hasHeader: boolean;
  /** Cells that a whole row has. */
  readonly #width: number;
  readonly #source: LineSource;
  readonly #encoding: TextEncoding;
  readonly #filter: LineFilter;
  readonly #batch: BatchBuilder;
  readonly #scanner: RecordScanner;
  readonly #cell: CellReader;
  readonly #frame: RowFrame;
  readonly #variables: VariableNames;
  readonly #layout: WideRows | LongRows;
  readonly #fast: FastRows | undefined;

  /** @throws LogfileRefused when a column is not there, or the name of the file cannot be an instrument's */
  constructor(
    { configuration, fileName, onMissing }: LogfileOptions,
    header: readonly LogfileColumn[],
    source: LineSource,
    encoding: TextEncoding,
    filter: LineFilter,
    scanner: RecordScanner,
    batch: BatchBuilder,
  ) {
    const { data_layout: layout, missing_value_markers: markers } = configuration;
    this.#header = header;
    this.#hasHeader = configuration.header.present;
    this.#source = source;
    this.#encoding = encoding;
    this.#filter = filter;
    this.#batch = batch;
    this.#scanner = scanner;
    this.#cell = new CellReader(scanner, encoding);
    this.#variables = new VariableNames(configuration.instrument.prefix_variable_names);
    const columns = new ColumnFinder(header, this.#hasHeader);
    this.#frame = new RowFrame(configuration, fileName, columns, this.#cell);
    const parts: RowParts = { cell: this.#cell, batch, variables: this.#variables, onMissing };
    const mark = markOf(configuration);
    if (layout.layout === 'one_value_per_row') {
      this.#layout = new LongRows(planLong(layout, markers, mark, columns), this.#frame, parts);
      columns.refuseIfMissing();
      this.#width = this.#hasHeader ? header.length : columns.lastColumn;
    } else {
      const plan = planWide(layout, markers, mark, columns);
      this.#layout = new WideRows(plan, this.#frame, parts);
      columns.refuseIfMissing();
      this.#width = this.#hasHeader ? header.length : columns.lastColumn;
      this.#fast = FastRows.of(configuration, plan, this.#layout, this.#frame, filter, this.#width);
    }
  }

  /** Reads what rows there are of the plainest kind, up to one that is not. */
  #readFast(fast: FastRows): void {
    const { store } = this.#source;
    const { bytes, end } = store;
    while (!this.isFull && !this.#filter.work.isMuch) {
      const { start } = store;
      const next = fast.read(bytes, start, end, this.#source.line);
      if (next < 0) break;
      this.#source.examinedBytes += next - start;
      this.#source.moveTo(next, 1);
      this.counts.rows++;
      this.counts.missing += this.#layout.missing;
    }
    this.counts.points = this.#batch.pointsSoFar;
  }

  /** Reads the next row; where it needs bytes or a zone, it is the next one still. */
  next(): 'read' | 'needs_bytes' | 'pause' | 'end' | { readonly zoneOf: string } {
    if (this.#fast !== undefined && this.#source.isFresh && this.#hasColumns) this.#readFast(this.#fast);
    if (this.isFull) return 'read';
    if (this.#filter.work.isMuch) {
      this.#filter.work.pause();
      return 'pause';
    }
    const scanned = this.#source.scan(this.#scanner);
    if (scanned === 'needs_bytes' || scanned === 'end') return scanned;
    const { start, bytes } = this.#source.store;
    if (scanned === 'too_long') {
      const message = `The line is longer than ${recordBytesMax} bytes; check that the file has line ends.`;
      this.#addError(rowFault('line_too_long', message), start + recordBytesMax);
      this.#source.dropLine();
      return 'read';
    }
    const { firstContentEnd, firstNext, contentEnd, next, lines } = this.#scanner;
    const isSkipped = this.#filter.skips(bytes, start, firstContentEnd);
    if (isSkipped === true) {
      this.counts.skipped++;
      this.#source.moveTo(firstNext, 1);
      return 'read';
    }
    this.#cell.begin(bytes);
    const outcome =
      isSkipped === undefined
        ? this.#notSearched()
        : scanned === 'unclosed_quote'
          ? unclosedQuote
          : this.#read(bytes, start);
    if (typeof outcome === 'object' && 'zoneOf' in outcome) return outcome;
    if (outcome === 'blank') this.counts.skipped++;
    else if (outcome === 'read') {
      this.counts.rows++;
      this.counts.points = this.#batch.pointsSoFar;
      this.counts.missing += this.#layout.missing;
    } else this.#addError(outcome, contentEnd);
    this.#source.moveTo(next, lines);
    return 'read';
  }

  /** Whether there is a batch to be handed over. */
  get isFull(): boolean {
    return this.#batch.isFull || this.#variables.areMany;
  }

  /** Hands over the batch. */
  take(isLast: boolean): LogfileBatch {
    const batch = this.#batch.take(this.counts, isLast, this.#frame.instruments.names.list, this.#variables.names.list);
    this.#variables.beginBatch(this.#batch.isEmpty);
    return batch;
  }

  giveZone(instrumentName: string, zone: string | undefined): void {
    this.#frame.instruments.giveZone(instrumentName, zone);
  }

  #read(bytes: Uint8Array, start: number): RowOutcome | 'blank' {
    const { hasNul, hasHigh, contentEnd, count } = this.#scanner;
    if (hasNul) return nulInRow;
    if (count === 0) return 'blank';
    if (hasHigh && !this.#encoding.isValid(bytes, start, contentEnd)) return invalidEncoding;
    const outcome = this.#faultOfCells() ?? this.#layout.read(this.#source.line);
    // a row without any text has no timestamp either, so the others need not be asked
    if (typeof outcome === 'object' && 'code' in outcome && this.#isEmpty()) return 'blank';
    if (this.columns.length === 0) this.#noteColumns();
    return outcome;
  }

  /** A row that may have to be skipped, and cannot be told from others. */
  #notSearched(): RowFault {
    const { bytesMax } = this.#filter.search;
    const message = `The expressions of skip_rows_matching can be searched for in lines of at most ${bytesMax} bytes, and this one is longer; repeat less in them.`;
    return rowFault('line_too_long', message);
  }

  /** Too many cells, or too few where the file breaks off. */
  #faultOfCells(): RowFault | undefined {
    const { count, hasTextBeyond, hasLineEnd } = this.#scanner;
    if (count < this.#width && !hasLineEnd) {
      const message = `The file breaks off in this row: it has ${count} of ${this.#width} cells and no line end. Send the whole file.`;
      return rowFault('truncated_row', message);
    }
    if (!this.#hasHeader || count <= this.#width) return undefined;
    for (let index = this.#width; index < Math.min(count, columnsMax); index++) {
      this.#cell.load(index);
      if (!this.#cell.isEmpty) return { ...this.#tooManyCells(count), column: index };
    }
    return hasTextBeyond ? this.#tooManyCells(count) : undefined;
  }

  #tooManyCells(count: number): RowFault {
    const message =
      `The row has ${count} cells and the header ${this.#width}. Check delimiter and decimal_separator, ` +
      'and that text with a delimiter in it stands in quotes.';
    return rowFault('too_many_cells', message);
  }

  #isEmpty(): boolean {
    for (let index = 0; index < Math.min(this.#scanner.count, columnsMax); index++) {
      this.#cell.load(index);
      if (!this.#cell.isEmpty) return false;
    }
    return !this.#scanner.hasTextBeyond;
  }

  /** Whether columns are known, be it by a first row. */
  get #hasColumns(): boolean {
    return this.#header.length > 0 || this.columns.length > 0;
  }

  #noteColumns(): void {
    const length = this.#hasHeader ? this.#header.length : Math.min(this.#scanner.count, columnsMax);
    this.columns = Array.from({ length }, (_, index) => ({ columnNumber: index + 1, headerName: null }));
  }

  #addError({ code, column, message }: RowFault, end: number): void {
    this.counts.rows++;
    this.counts.errors++;
    const columnName = this.#header[column]?.headerName ?? null;
    const raw = this.#raw(end);
    this.#batch.errors.push({
      line: this.#source.line,
      column: column < 0 ? null : column + 1,
      columnName,
      code,
      message,
      raw,
    });
  }

  /** The row as it stands in the file, cut; NULs can be seen. */
  #raw(end: number): string {
    const { bytes, start } = this.#source.store;
    // no character takes more than four bytes
    const text = this.#encoding.decode(bytes, start, Math.min(end, start + 4 * rawCharactersMax));
    return Array.from(text).slice(0, rawCharactersMax).join('').replaceAll('\0', '␀');
  }
}

const unclosedQuote = rowFault(
  'unclosed_quote',
  `A quote opens a cell and none closes it within ${recordLinesMax} lines; correct it, or set quote to none.`,
);
const nulInRow = rowFault(
  'nul_in_row',
  'The row has NUL characters, as a loss of power leaves them; its values cannot be trusted. If all rows have them, check encoding.',
);
const invalidEncoding = rowFault(
  'invalid_encoding',
  'The row has bytes that mean nothing in the encoding of the file; check encoding.',
);
