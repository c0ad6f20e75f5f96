import type { ParserConfiguration } from '@weir/parser-configuration';
import type { BatchBuilder } from './batch-builder.js';
import type { CellReader } from './cell-reader.js';
import type { ColumnFinder } from './columns.js';
import { Instruments } from './instruments.js';
import type { RowFault } from './row-fault.js';
import { compileTimestampFormat } from './time/compile-timestamp-format.js';
import { RowClock } from './time/row-clock.js';
import { TimestampCells } from './time/timestamp-cells.js';
import { ZoneCells } from './time/zone-cells.js';
import type { ZoneClock } from './time/zone-clock.js';
import type { VariableNames } from './variable-names.js';

/** What became of a row: points (perhaps none), a fault, or a zone that it needs first. */
export type RowOutcome = 'read' | RowFault | { readonly zoneOf: string };

/** What rows of either layout are read with. */
export interface RowParts {
  readonly cell: CellReader;
  readonly batch: BatchBuilder;
  readonly variables: VariableNames;
  readonly onMissing: ((line: number, variableName: string) => void) | undefined;
}

/** The parts of a row that do not depend on the layout: whose it is, and when. */
export class RowFrame {
  readonly instruments: Instruments;
  readonly #cell: CellReader;
  readonly #timestamps: TimestampCells;
  readonly #clock: RowClock;
  readonly #zones: ZoneCells | undefined;
  #rowClock: ZoneClock | undefined;
  /** The column that faults of the time are told at. */
  readonly #timeColumn: number;

  /** @throws LogfileRefused when the name of the file cannot be that of an instrument */
  constructor(configuration: ParserConfiguration, fileName: string, columns: ColumnFinder, cell: CellReader) {
    const { timestamp, instrument } = configuration;
    const format = compileTimestampFormat(timestamp.input_format, markOf(configuration));
    const indexes = timestamp.columns.map((column) => columns.find(column));
    this.#timestamps = new TimestampCells(indexes, timestamp.join_with, format, timestamp.input_format);
    this.#timeColumn = indexes[0] ?? 0;
    this.#zones = timestamp.zone_column && new ZoneCells(columns.find(timestamp.zone_column), timestamp.zones);
    const isNamedByColumn = instrument.name_source === 'column' && instrument.name_column !== undefined;
    const nameColumn = isNamedByColumn && instrument.name_column ? columns.find(instrument.name_column) : -1;
    this.instruments = new Instruments(configuration, fileName, nameColumn);
    this.#clock = new RowClock(configuration);
    this.#cell = cell;
  }

  /** The column that alone tells the time, from 0; negative where there are several, or one of zones. */
  get onlyTimeColumn(): number {
    return this.#zones === undefined ? this.#timestamps.onlyColumn : -1;
  }

  /** The length that each timestamp has, 0 where it may be any. */
  get timeLength(): number {
    return this.#timestamps.length;
  }

  /** Reads a timestamp that is just these bytes; false where they are none. */
  beginAt(bytes: Uint8Array, start: number, end: number): boolean {
    this.#rowClock = undefined;
    return this.#timestamps.loadAt(bytes, start, end);
  }

  /** Reads the timestamp of a row, and the zone that the row tells. */
  begin(): RowFault | undefined {
    const fault = this.#timestamps.load(this.#cell);
    if (fault !== undefined) return fault;
    this.#rowClock = undefined;
    if (this.#zones === undefined || this.#timestamps.read.isUtc) return undefined;
    const zone = this.#zones.read(this.#cell);
    if (zone !== undefined && 'code' in zone) return zone;
    this.#rowClock = zone;
    return undefined;
  }

  /** The instrument whose zone has to be given before the row can be read. */
  missingZone(instrument: number): { readonly zoneOf: string } | undefined {
    if (this.#timestamps.read.isUtc || this.#rowClock !== undefined) return undefined;
    if (this.instruments.clockOf(instrument) !== undefined) return undefined;
    return { zoneOf: this.instruments.names.list[instrument] as string };
  }

  /** The instant of the row for an instrument, or what is wrong with it. */
  instantUs(instrument: number, track: () => string): number | RowFault {
    const clock = this.#rowClock ?? this.instruments.clockOf(instrument);
    const us = this.#clock.resolve(this.#timestamps.read, clock, track);
    return this.#clock.fault === undefined ? us : { ...this.#clock.fault, column: this.#timeColumn };
  }
}

/** The byte that is the decimal mark of a file. */
export const markOf = ({ decimal_separator }: ParserConfiguration): number => (decimal_separator === 'comma' ? 44 : 46);
