import type { ParserConfiguration } from '@weir/parser-configuration';
import type { CellReader } from './cell-reader.js';
import { hasFraction, readNumber } from './number.js';
import type { RowErrorCode } from './row-error.js';
import { type RowFault, shown } from './row-fault.js';

type Layout = ParserConfiguration['data_layout'];
/** What a value may be. */
export type ValueType = Extract<Layout, { value_column: unknown }>['value_type'];

/** What stands for a missing value, compared as text. */
class Markers {
  readonly #ascii: Uint8Array[] = [];
  readonly #others = new Set<string>();
  /** Markers that are numbers, so that a number need not be compared as text unless it is one of these. */
  readonly #numbers: number[] = [];

  constructor(markers: readonly string[], mark: number) {
    for (const marker of new Set(markers)) {
      const bytes = Buffer.from(marker, 'utf8');
      if (bytes.length === marker.length) this.#ascii.push(bytes);
      else this.#others.add(marker);
      const number = readNumber(bytes, 0, bytes.length, mark);
      if (Number.isFinite(number)) this.#numbers.push(number);
    }
  }

  hasNumber(value: number): boolean {
    return this.#numbers.length > 0 && this.#numbers.includes(value);
  }

  has(cell: CellReader): boolean {
    const length = cell.end - cell.start;
    for (const marker of this.#ascii) {
      if (marker.length !== length) continue;
      let at = 0;
      while (at < length && marker[at] === cell.bytes[cell.start + at]) at++;
      if (at === length) return true;
    }
    return this.#others.size > 0 && this.#others.has(cell.text());
  }
}

/** The column of a file that has values, and how they are read. */
export class ValueColumn {
  /** From 0. */
  readonly index: number;
  readonly #type: ValueType;
  readonly #markers: Markers;
  readonly #mark: number;
  /** What was wrong with the cell that was read last. */
  fault: RowFault | undefined;

  constructor(index: number, type: ValueType, markers: readonly string[], mark: number) {
    this.index = index;
    this.#type = type;
    this.#markers = new Markers(markers, mark);
    this.#mark = mark;
  }

  get isBoolean(): boolean {
    return this.#type === 'boolean';
  }

  /** Whether a number of few digits is a value of this column as it stands, whatever its text. */
  accepts(value: number): boolean {
    return (this.#type === 'decimal' || Number.isInteger(value)) && !this.#markers.hasNumber(value);
  }

  /** The value of a cell; NaN where it is missing, or, with a `fault`, none. */
  read(cell: CellReader): number {
    this.fault = undefined;
    cell.load(this.index);
    if (cell.isEmpty) return Number.NaN;
    const value =
      this.#type === 'boolean' ? readBoolean(cell) : readNumber(cell.bytes, cell.start, cell.end, this.#mark);
    if (value - value === 0) {
      // words that are a boolean are no number, and may be markers all the same
      if ((this.isBoolean || this.#markers.hasNumber(value)) && this.#markers.has(cell)) return Number.NaN;
      if (this.#type !== 'integer' || !hasFraction(value, cell.bytes, cell.start, cell.end)) return value;
    }
    if (!this.#markers.has(cell)) this.fault = this.#faultOf(cell, value);
    return Number.NaN;
  }

  #faultOf(cell: CellReader, value: number): RowFault {
    const text = shown(cell.text());
    const fault = (code: RowErrorCode, message: string): RowFault => ({ code, column: this.index, message });
    const unless = 'correct it, or add it to missing_value_markers if it stands for a missing value.';
    if (this.#type === 'boolean') return fault('not_a_boolean', `${text} is not 0, 1, true or false; ${unless}`);
    if (Number.isNaN(value)) {
      const mark = this.#mark === 46 ? 'point' : 'comma';
      return fault('not_a_number', `${text} is not a number with a decimal ${mark}; ${unless}`);
    }
    if (!Number.isFinite(value)) return fault('number_out_of_range', `${text} is too large for a double; ${unless}`);
    return fault('not_an_integer', `${text} has a fraction; make the value_type decimal, or correct it.`);
  }
}

/** 0 or 1; NaN for what is neither a digit of these nor true or false. */
function readBoolean({ bytes, start, end }: CellReader): number {
  if (end - start === 1) return bytes[start] === 48 ? 0 : bytes[start] === 49 ? 1 : Number.NaN;
  if (end - start > 5) return Number.NaN;
  let word = '';
  for (let at = start; at < end; at++) word += String.fromCharCode((bytes[at] as number) | 32);
  return word === 'true' ? 1 : word === 'false' ? 0 : Number.NaN;
}
