import type { WidePlan } from './layout-plan.js';
import { type RowFault, shown } from './row-fault.js';
import type { RowFrame, RowOutcome, RowParts } from './row-frame.js';

/** Numbers of names that are kept, of all instruments; with more, they are looked up again. */
const numbersMax = 1_000_000;

/** Reads rows that are an instant, with values in columns: a point for each instrument that has any. */
export class WideRows {
  readonly #plan: WidePlan;
  readonly #frame: RowFrame;
  readonly #parts: RowParts;
  /** Values of the row by mapping; NaN for those that are missing. */
  readonly values: Float64Array;
  /** The instrument that all rows belong to, negative where a row tells it or there are several. */
  readonly onlyInstrument: number;
  /** Of the groups: instruments, -1 for that of the row, and instants. */
  readonly #named: Int32Array;
  readonly #instruments: Int32Array;
  readonly #instants: Float64Array;
  /** The group of the instrument of the row, negative where mappings name all. */
  readonly #ofRow: number;
  /** Of the groups: the mapping whose variable has the longest name. */
  readonly #longest: Int32Array;
  /** Numbers of the variables' names and 1, 0 for those that had no value yet; with prefixes, for each instrument. */
  readonly #numbers = new Map<number, Uint32Array>();
  #generation = -1;
  /** Missing values of the row that was read last. */
  missing = 0;
  #track = 0;
  readonly #trackName = (): string => String(this.#track);

  constructor(plan: WidePlan, frame: RowFrame, parts: RowParts) {
    this.#plan = plan;
    this.#frame = frame;
    this.#parts = parts;
    this.values = new Float64Array(plan.values.length);
    this.#instants = new Float64Array(plan.groups.length);
    this.#instruments = new Int32Array(plan.groups.length);
    this.#named = Int32Array.from(plan.groups, ({ instrumentName }) =>
      instrumentName === undefined ? -1 : frame.instruments.names.numberOf(instrumentName),
    );
    this.#longest = Int32Array.from(plan.groups, ({ values }) => longestOf(plan, values));
    this.#ofRow = this.#named.indexOf(-1);
    const named = this.#named[0] ?? -1;
    this.onlyInstrument = this.#named.length > 1 ? -1 : named < 0 ? frame.instruments.fixed : named;
  }

  /** Takes a row of the only instrument whose timestamp and `values` were read; false where something stands in its way. */
  commitOne(line: number): boolean {
    const instrument = this.onlyInstrument;
    if (this.#frame.missingZone(instrument) !== undefined) return false;
    this.#instruments[0] = instrument;
    if (this.#readInstants() !== undefined || this.#faultOfNames() !== undefined) return false;
    this.#commit(line);
    return true;
  }

  /** Reads the row that was scanned. Nothing has happened unless its outcome is `read`. */
  read(line: number): RowOutcome {
    const { cell } = this.#parts;
    const ofRow = this.#ofRow >= 0 ? this.#frame.instruments.ofRow(cell) : 0;
    if (typeof ofRow !== 'number') return ofRow;
    const fault = this.#frame.begin();
    if (fault !== undefined) return fault;
    for (let group = 0; group < this.#named.length; group++) {
      const named = this.#named[group] as number;
      const instrument = named < 0 ? ofRow : named;
      this.#instruments[group] = instrument;
      const zone = this.#frame.missingZone(instrument);
      if (zone !== undefined) return zone;
    }
    return this.#readInstants() ?? this.#readValues() ?? this.#faultOfNames() ?? this.#commit(line);
  }

  #readInstants(): RowFault | undefined {
    for (let group = 0; group < this.#instants.length; group++) {
      // to the order of the file, the same instrument once more would be a further row of it
      const first = this.#firstOf(group);
      if (first < group) {
        this.#instants[group] = this.#instants[first] as number;
        continue;
      }
      this.#track = this.#instruments[group] as number;
      const instant = this.#frame.instantUs(this.#track, this.#trackName);
      if (typeof instant !== 'number') return instant;
      this.#instants[group] = instant;
    }
    return undefined;
  }

  /** The first group with the instrument of a group: mappings may name that of the row. */
  #firstOf(group: number): number {
    if (group === 0) return 0;
    const ofRow = this.#ofRow;
    const instrument = this.#instruments[group] as number;
    if (group === ofRow) return this.#instruments.indexOf(instrument);
    return ofRow >= 0 && ofRow < group && this.#instruments[ofRow] === instrument ? ofRow : group;
  }

  #readValues(): RowFault | undefined {
    const { values } = this.#plan;
    for (let place = 0; place < values.length; place++) {
      const { column } = values[place] as (typeof values)[number];
      this.values[place] = column.read(this.#parts.cell);
      if (column.fault !== undefined) return column.fault;
    }
    return undefined;
  }

  /** A prefix may make the name of a variable too long: that of the longest tells it for all. */
  #faultOfNames(): RowFault | undefined {
    const { variables } = this.#parts;
    if (!variables.isPrefixed) return undefined;
    for (let group = 0; group < this.#instruments.length; group++) {
      const instrument = this.#instruments[group] as number;
      const { variableName, column } = this.#plan.values[this.#longest[group] as number] as WidePlan['values'][number];
      const instrumentName = this.#nameOf(instrument);
      if (variables.nameOf(instrumentName, variableName) !== undefined) continue;
      const message = `${shown(`${instrumentName} ${variableName}`)} is longer than a name may be; shorten the variable_name.`;
      return { code: 'variable_invalid', column: column.index, message };
    }
    return undefined;
  }

  #commit(line: number): 'read' {
    const { batch, onMissing } = this.#parts;
    const { groups, values } = this.#plan;
    let missing = 0;
    for (let group = 0; group < groups.length; group++) {
      const instrument = this.#instruments[group] as number;
      const numbers = this.#numbersFor(instrument);
      const places = (groups[group] as (typeof groups)[number]).values;
      let isBegun = false;
      for (let at = 0; at < places.length; at++) {
        const place = places[at] as number;
        const value = this.values[place] as number;
        if (value !== value) {
          missing++;
          continue;
        }
        if (!isBegun) batch.beginPoint(line, this.#instants[group] as number, instrument);
        isBegun = true;
        batch.addValue((numbers[place] || this.#number(numbers, place, instrument)) - 1, value);
      }
    }
    this.missing = missing;
    if (missing > 0 && onMissing !== undefined) {
      for (const [place, { variableName }] of values.entries()) {
        if (Number.isNaN(this.values[place])) onMissing(line, this.#nameAt(place, variableName));
      }
    }
    return 'read';
  }

  #nameAt(place: number, variableName: string): string {
    const group = this.#plan.groups.findIndex(({ values }) => values.includes(place));
    const instrumentName = this.#nameOf(this.#instruments[group] as number);
    return this.#parts.variables.nameOf(instrumentName, variableName) ?? variableName;
  }

  #nameOf(instrument: number): string {
    return this.#frame.instruments.names.list[instrument] ?? '';
  }

  /** The numbers of variables' names for an instrument, as far as there are any. */
  #numbersFor(instrument: number): Uint32Array {
    const { variables } = this.#parts;
    const width = this.#plan.values.length;
    if (this.#generation !== variables.generation || this.#numbers.size * width > numbersMax) {
      this.#generation = variables.generation;
      this.#numbers.clear();
    }
    const key = variables.isPrefixed ? instrument : 0;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const numbers = new Uint32Array(width);
    this.#numbers.set(key, numbers);
    return numbers;
  }

  /** Gives the name of a value its number. Names without a value take no room: a file may have ever new instruments. */
  #number(numbers: Uint32Array, place: number, instrument: number): number {
    const { variables } = this.#parts;
    const { variableName } = this.#plan.values[place] as WidePlan['values'][number];
    const name = variables.nameOf(this.#nameOf(instrument), variableName) ?? variableName;
    const number = variables.names.numberOf(name) + 1;
    numbers[place] = number;
    return number;
  }
}

/** The place of the longest variable name of a group. */
function longestOf({ values }: WidePlan, places: WidePlan['groups'][number]['values']): number {
  const lengthAt = (place: number): number => Array.from(values[place]?.variableName ?? '').length;
  return [...places].reduce((longest, place) => (lengthAt(place) > lengthAt(longest) ? place : longest));
}
