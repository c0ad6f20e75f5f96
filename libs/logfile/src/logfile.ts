import type { ParserConfiguration } from '@weir/parser-configuration';
import type { RowError } from './row-error.js';

/** What a file is read by. */
export interface LogfileOptions {
  readonly configuration: ParserConfiguration;
  /** The name it was sent under: it names the instrument where the configuration says so. */
  readonly fileName: string;
  /** Points of a batch, 1 to 1,000 (default). Batches are cut by this alone, so the same bytes always give the same ones. */
  readonly pointsPerBatch?: number;
  /** Whether there are steps of the kind `pause`. */
  readonly pauses?: boolean;
  /** Told of each missing value: line and variable. */
  readonly onMissing?: (line: number, variableName: string) => void;
}

/** Running totals from the start of the file. */
export interface LogfileCounts {
  /** Rows of data: those that gave points, errors, or nothing since all of their values are missing. */
  readonly rows: number;
  /** A row of several instruments gives several. */
  readonly points: number;
  /** Rows that are an error. */
  readonly errors: number;
  /** Empty and marked cells of mapped columns in rows that are no error. */
  readonly missing: number;
  /** Blank, comment, filtered and repeated header lines after the first row of data. */
  readonly skipped: number;
}

/** A column as the file has it: a header that is empty, or not there, is null. */
export interface LogfileColumn {
  readonly columnNumber: number;
  readonly headerName: string | null;
}

/**
 * Points as columns, in the order of the file. Point `i` has the values from `valueStarts[i]` up to, not
 * including, `valueStarts[i + 1]`; instruments and variables are places in the lists of names.
 */
export interface PointColumns {
  readonly count: number;
  /** Physical lines, from 1. */
  readonly lines: Float64Array<ArrayBuffer>;
  /** Microseconds since 1970. */
  readonly atUs: Float64Array<ArrayBuffer>;
  readonly instruments: Uint32Array<ArrayBuffer>;
  /** One longer than `count`. */
  readonly valueStarts: Uint32Array<ArrayBuffer>;
  readonly variables: Uint32Array<ArrayBuffer>;
  readonly values: Float64Array<ArrayBuffer>;
  readonly instrumentNames: readonly string[];
  readonly variableNames: readonly string[];
}

/** A point by itself. */
export interface LogfilePoint {
  readonly line: number;
  readonly atUs: number;
  readonly instrumentName: string;
  readonly variables: readonly { readonly name: string; readonly value: number }[];
}

/** What was read since the batch before. */
export interface LogfileBatch {
  readonly points: PointColumns;
  readonly errors: readonly RowError[];
  /** Totals up to and with this batch. */
  readonly counts: LogfileCounts;
  /** Whether the file ends here. The last batch may be empty; there always is one. */
  readonly isLast: boolean;
}

/** What the reader needs, or has. */
export type LogfileStep =
  /** `push` the next bytes, or `end`. */
  | { readonly kind: 'bytes' }
  /**
   * Regular expressions took long enough: let others have their turn, then go on. Only with `pauses`; a process that
   * serves others as well should want them, since a hostile expression is slow.
   */
  | { readonly kind: 'pause' }
  /** `giveZone` of this instrument: its times have no offset, and the configuration no zone. */
  | { readonly kind: 'zone'; readonly instrumentName: string }
  | { readonly kind: 'batch'; readonly batch: LogfileBatch }
  /** After the last batch. */
  | { readonly kind: 'end' };

/**
 * Reads a file step by step, without waiting for anything itself: call `next` and do what it asks
 * for. Its memory does not grow with the file.
 */
export interface LogfileReader {
  /** @throws LogfileRefused when the file cannot be read at all; that is always before the first batch */
  next(): LogfileStep;
  /** Gives more of the file; the bytes are copied. */
  push(chunk: Uint8Array): void;
  /** Says that there are no more bytes. */
  end(): void;
  /** Gives the zone (IANA name or offset) of the instrument that was asked for; undefined stands for UTC. */
  giveZone(instrumentName: string, zone: string | undefined): void;
  /** The columns of the header, or without one those of the first row; empty until that was read. */
  readonly columns: readonly LogfileColumn[];
  readonly counts: LogfileCounts;
  /** Bytes that were looked at, those looked at again included: the measure of the work that a file made. */
  readonly examinedBytes: number;
}
