import type { ParserConfiguration } from '@weir/parser-configuration';
import type { CellReader } from '../cell-reader.js';
import { type RowFault, shown } from '../row-fault.js';
import { secondUs } from './timestamp-format.js';
import { offsetClock, type ZoneClock, zoneClock } from './zone-clock.js';

/** Spellings of zones that are kept; with more, what is there is found anew. */
const spellingsMax = 1000;
const offsetMinutesMax = 18 * 60;

/** Minutes without leading zeros, since `0100` would be read as either 100 minutes or one hour. */
const minutes = /^[+-]?(?:0|[1-9]\d{0,3})$/;
const extended = /^([+-])(\d\d):([0-5]\d)$/;

/** The clocks that the cells of `zone_column` name. */
export class ZoneCells {
  readonly #index: number;
  readonly #zones: ReadonlyMap<string, string> | undefined;
  readonly #clocks = new Map<string, ZoneClock | undefined>();

  constructor(index: number, zones: ParserConfiguration['timestamp']['zones']) {
    this.#index = index;
    this.#zones = zones && new Map(Object.entries(zones));
  }

  /** The clock of a row; undefined where the cell is empty, so that others tell the zone. */
  read(cell: CellReader): ZoneClock | RowFault | undefined {
    cell.load(this.#index);
    if (cell.isEmpty) return undefined;
    const text = cell.text();
    if (!this.#clocks.has(text)) {
      if (this.#clocks.size >= spellingsMax) this.#clocks.clear();
      this.#clocks.set(text, this.#clockOf(text));
    }
    return this.#clocks.get(text) ?? this.#faultOf(text);
  }

  #clockOf(text: string): ZoneClock | undefined {
    if (this.#zones !== undefined) {
      const zone = this.#zones.get(text);
      return zone === undefined ? undefined : zoneClock(zone);
    }
    const [, sign, hours, rest] = extended.exec(text) ?? [];
    const offset = sign === undefined ? Number(text) : Number(`${sign}1`) * (Number(hours) * 60 + Number(rest));
    const isOffset = sign !== undefined || minutes.test(text);
    return isOffset && Math.abs(offset) <= offsetMinutesMax ? offsetClock(offset * 60 * secondUs) : undefined;
  }

  #faultOf(text: string): RowFault {
    const message =
      this.#zones === undefined
        ? `${shown(text)} is not an offset in minutes or as ±hh:mm; give timestamp.zones, which say what the cells mean.`
        : `timestamp.zones do not say what ${shown(text)} means; add it to them.`;
    return { code: 'bad_zone', column: this.#index, message };
  }
}
