import { nameCharactersMax, normalizeName } from '@weir/kit/text';
import type { ParserConfiguration } from '@weir/parser-configuration';
import type { CellReader } from './cell-reader.js';
import { instrumentsMax } from './limits.js';
import { baseName, CellNames, Names } from './names.js';
import { LogfileRefused } from './refusal.js';
import { type RowFault, rowFault, shown } from './row-fault.js';
import { type ZoneClock, zoneClock } from './time/zone-clock.js';

/** The instruments of a file, by number, and their clocks. */
export class Instruments {
  readonly names = new Names();
  readonly #cells = new CellNames();
  readonly #column: number;
  /** The instrument of all rows, or -1 where a column tells it. */
  readonly fixed: number;
  /** The clock of all rows, unless each instrument has its own. */
  readonly #commonClock: ZoneClock | undefined;
  readonly #clocks: ZoneClock[] = [];
  readonly #clockOfZone = new Map<string, ZoneClock>();

  /** @throws LogfileRefused when the name of the file cannot be that of an instrument */
  constructor({ instrument, timestamp }: ParserConfiguration, fileName: string, column: number) {
    this.#column = column;
    this.#commonClock = timestamp.timezone === undefined ? undefined : zoneClock(timestamp.timezone);
    if (instrument.name_source === 'column') this.fixed = -1;
    else {
      const given = instrument.name_source === 'fixed' ? (instrument.name ?? '') : baseName(fileName);
      const name = normalizeName(given);
      if (name === undefined) {
        const message =
          `The name of the file, ${shown(fileName)}, is to be that of the instrument, which has 1 to ` +
          `${nameCharactersMax} characters without the extension, none a control character: rename the file.`;
        throw new LogfileRefused('instrument_invalid', message);
      }
      this.fixed = this.names.numberOf(name);
    }
  }

  /** The instrument of a row, or what is wrong with its name. */
  ofRow(cell: CellReader): number | RowFault {
    if (this.fixed >= 0) return this.fixed;
    cell.load(this.#column);
    const name = this.#cells.read(cell);
    const column = this.#column;
    if (name === '') {
      return {
        code: 'instrument_missing',
        column,
        message: 'The cell that names the instrument is empty; fill it in.',
      };
    }
    if (name === null) {
      const message = `${shown(cell.text())} cannot be the name of an instrument: those have at most 256 characters, none a control character.`;
      return { code: 'instrument_invalid', column, message };
    }
    const number = this.names.numberOf(name, instrumentsMax);
    if (number >= 0) return number;
    const message = `The file has more than ${instrumentsMax} instruments; split it, or check instrument.name_column.`;
    return rowFault('too_many_instruments', message);
  }

  /** The clock of an instrument; undefined where its zone is yet to be given. */
  clockOf(instrument: number): ZoneClock | undefined {
    return this.#commonClock ?? this.#clocks[instrument];
  }

  /** @throws RangeError where there is no such zone */
  giveZone(instrument: string, zone = '+00:00'): void {
    const clock = this.#clockOfZone.get(zone) ?? zoneClock(zone);
    this.#clockOfZone.set(zone, clock);
    this.#clocks[this.names.numberOf(instrument)] = clock;
  }
}
