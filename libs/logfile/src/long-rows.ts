import type { LongPlan } from './layout-plan.js';
import { CellNames } from './names.js';
import { shown } from './row-fault.js';
import type { RowFrame, RowOutcome, RowParts } from './row-frame.js';

/** Reads rows that are one value each, of the variable that a cell names. */
export class LongRows {
  readonly #plan: LongPlan;
  readonly #frame: RowFrame;
  readonly #parts: RowParts;
  readonly #cells = new CellNames();
  /** Missing values of the row that was read last. */
  missing = 0;
  #instrument = 0;
  #variable = '';
  // the variables of one instant stand in rows of their own, so each is followed by itself
  readonly #trackName = (): string => `${this.#instrument} ${this.#variable}`;

  constructor(plan: LongPlan, frame: RowFrame, parts: RowParts) {
    this.#plan = plan;
    this.#frame = frame;
    this.#parts = parts;
  }

  /** Reads the row that was scanned. Nothing has happened unless its outcome is `read`. */
  read(line: number): RowOutcome {
    const { cell, batch, variables, onMissing } = this.#parts;
    const instrument = this.#frame.instruments.ofRow(cell);
    if (typeof instrument !== 'number') return instrument;
    const fault = this.#frame.begin();
    if (fault !== undefined) return fault;
    const zone = this.#frame.missingZone(instrument);
    if (zone !== undefined) return zone;
    const column = this.#plan.variableIndex;
    cell.load(column);
    const given = this.#cells.read(cell);
    if (given === '') {
      return { code: 'variable_missing', column, message: 'The cell that names the variable is empty; fill it in.' };
    }
    const instrumentName = this.#frame.instruments.names.list[instrument] ?? '';
    const name = given === null ? undefined : variables.nameOf(instrumentName, given);
    if (name === undefined) {
      const message = `${shown(cell.text())} cannot be the name of a variable: those have at most 256 characters, a prefix included, none a control character.`;
      return { code: 'variable_invalid', column, message };
    }
    this.#instrument = instrument;
    this.#variable = name;
    const instant = this.#frame.instantUs(instrument, this.#trackName);
    if (typeof instant !== 'number') return instant;
    const value = this.#plan.column.read(cell);
    if (this.#plan.column.fault !== undefined) return this.#plan.column.fault;
    this.missing = Number.isNaN(value) ? 1 : 0;
    if (this.missing > 0) onMissing?.(line, name);
    else {
      batch.beginPoint(line, instant, instrument);
      batch.addValue(variables.names.numberOf(name), value);
    }
    return 'read';
  }
}
