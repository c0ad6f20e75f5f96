import { columnsMax, type ParserConfiguration } from '@weir/parser-configuration';
import { CellReader } from './cell-reader.js';
import type { LineFilter } from './line-filter.js';
import { LineSearch } from './line-search.js';
import type { LineSource } from './line-source.js';
import type { LogfileColumn, LogfileStep } from './logfile.js';
import { RecordScanner } from './record-scanner.js';
import { LogfileRefused } from './refusal.js';
import type { TextEncoding } from './text-encoding.js';

/** Lines that are searched for a header. */
const searchedLinesMax = 1_000_000;
const bytesStep: LogfileStep = { kind: 'bytes' };
const pauseStep: LogfileStep = { kind: 'pause' };

type Steps<T> = Generator<LogfileStep, T, void>;

/** Reads what stands before the data: after it the source is at the first line of data. */
export class HeaderReader {
  readonly #configuration: ParserConfiguration;
  readonly #source: LineSource;
  readonly #encoding: TextEncoding;
  readonly #filter: LineFilter;
  readonly #scanner: RecordScanner;

  constructor(
    configuration: ParserConfiguration,
    source: LineSource,
    encoding: TextEncoding,
    filter: LineFilter,
    scanner: RecordScanner,
  ) {
    this.#scanner = scanner;
    this.#configuration = configuration;
    this.#source = source;
    this.#encoding = encoding;
    this.#filter = filter;
  }

  /**
   * The columns of the header; none where the configuration knows no header.
   *
   * @throws LogfileRefused when there is no such line
   */
  *read(): Steps<LogfileColumn[]> {
    const { header, first_data_row } = this.#configuration;
    let columns: LogfileColumn[] = [];
    if (header.present) {
      if (header.matching === undefined) yield* this.#skipToHeader(header.row_number ?? 1);
      else yield* this.#findHeader(header.matching);
      columns = yield* this.#readColumns();
    }
    while (this.#source.line < (first_data_row ?? 1)) if (!(yield* this.#skipLine())) break;
    return columns;
  }

  *#skipToHeader(row: number): Steps<void> {
    while (this.#source.line < row) {
      if (yield* this.#skipLine()) continue;
      const lines = this.#source.line - 1;
      const message = `The header is to be line ${row}, and the file has ${lines}. Check header.row_number.`;
      throw new LogfileRefused('header_not_found', message);
    }
  }

  *#findHeader(pattern: string): Steps<void> {
    const { store } = this.#source;
    const { work } = this.#filter;
    const search = new LineSearch([pattern], this.#encoding, work);
    while (this.#source.line <= searchedLinesMax) {
      const outcome = yield* this.#peekLine();
      if (outcome === 'end') break;
      const isFound = outcome === 'line' && search.finds(store.bytes, store.start, this.#source.contentEnd);
      if (isFound === true) return;
      if (isFound === undefined) {
        const longest = `${JSON.stringify(pattern)} can be searched for in lines of at most ${search.bytesMax} bytes`;
        const message = `Line ${this.#source.line} may be the header, and ${longest}. Repeat less in header.matching, or give header.row_number.`;
        throw new LogfileRefused('header_not_found', message);
      }
      yield* this.#skipLine();
      if (work.isMuch) {
        work.pause();
        yield pauseStep;
      }
    }
    const message = `No line is a header: ${JSON.stringify(pattern)} is found in none. Check header.matching.`;
    throw new LogfileRefused('header_not_found', message);
  }

  *#readColumns(): Steps<LogfileColumn[]> {
    const { line } = this.#source;
    let scanner = this.#scanner;
    let outcome = this.#source.scan(scanner);
    for (; outcome === 'needs_bytes'; outcome = this.#source.scan(scanner)) yield bytesStep;
    if (outcome === 'unclosed_quote') {
      scanner = new RecordScanner(this.#configuration.delimiter, false);
      outcome = this.#source.scan(scanner);
    }
    if (outcome !== 'record') {
      const state = outcome === 'end' ? 'the file ends before it' : 'it is longer than lines may be';
      throw new LogfileRefused('header_not_found', `The header is to be line ${line}, and ${state}.`);
    }
    if (scanner.count > columnsMax) {
      const message = `The header, line ${line}, has ${scanner.count} cells; at most ${columnsMax} can be read. Check delimiter.`;
      throw new LogfileRefused('too_many_columns', message);
    }
    const columns = this.#columnsOf(scanner);
    const end = line + scanner.lines;
    while (this.#source.line < end) yield* this.#skipLine();
    return columns;
  }

  /** The columns of a scanned header; empty cells at its end are none. */
  #columnsOf(scanner: RecordScanner): LogfileColumn[] {
    const cell = new CellReader(scanner, this.#encoding);
    cell.begin(this.#source.store.bytes);
    const columns = Array.from({ length: scanner.count }, (_, index): LogfileColumn => {
      cell.load(index);
      return { columnNumber: index + 1, headerName: cell.text() || null };
    });
    return columns.slice(0, columns.findLastIndex(({ headerName }) => headerName !== null) + 1);
  }

  *#peekLine(): Steps<'line' | 'too_long' | 'end'> {
    for (;;) {
      const outcome = this.#source.peekLine();
      if (outcome !== 'needs_bytes') return outcome;
      yield bytesStep;
    }
  }

  /** Moves behind a line, and remembers it: it may appear again among the data. False at the end of the file. */
  *#skipLine(): Steps<boolean> {
    const { store } = this.#source;
    const outcome = yield* this.#peekLine();
    if (outcome === 'end') return false;
    if (outcome === 'line') {
      this.#filter.known.add(store.bytes, store.start, this.#source.contentEnd);
      this.#source.skipLine();
      return true;
    }
    const { line } = this.#source;
    this.#source.dropLine();
    // until its end has come, this line is the next one still
    while (this.#source.line === line) yield* this.#peekLine();
    return true;
  }
}
