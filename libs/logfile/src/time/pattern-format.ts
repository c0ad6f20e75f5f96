import { dayUs } from '@weir/kit/time';
import { CivilClock, type OffsetForms, offset, readOffset } from './civil.js';
import { fieldCount, fields, ops, type Part } from './pattern-parts.js';
import type { ReadTimestamp, TimestampFormat } from './timestamp-format.js';

const none = { upperZ: false, lowerZ: false, hours: false, basic: false, extended: false };
/** X, XX, XXX, x, xx, xxx */
const offsetForms: readonly OffsetForms[] = [true, false].flatMap((upperZ) => [
  { ...none, upperZ, hours: true, basic: true },
  { ...none, upperZ, basic: true },
  { ...none, upperZ, extended: true },
]);

const months = new Map(
  ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'].map((name, at) => [
    name,
    at + 1,
  ]),
);

const absent = -1;
const dayMs = dayUs / 1000;
const noOffset = Number.NaN;

/** A pattern of date and time, compiled to a list of small steps once for the file. */
export class PatternFormat implements TimestampFormat {
  readonly #clock = new CivilClock();
  readonly #ops: Uint8Array;
  readonly #a: Int32Array;
  readonly #min: Uint8Array;
  readonly #max: Uint8Array;
  /** Digits that the numbers right after a part need. */
  readonly #rest: Uint8Array;
  readonly #isHalfDay: boolean;
  readonly #fields = new Float64Array(fieldCount);
  readonly #before = new Float64Array(fieldCount);
  #at = 0;

  constructor(parts: readonly Part[]) {
    this.#ops = Uint8Array.from(parts, ({ op }) => op);
    this.#a = Int32Array.from(parts, ({ a }) => a);
    this.#min = Uint8Array.from(parts, ({ b }) => b);
    this.#max = Uint8Array.from(parts, ({ c }) => c);
    const needs = ({ op, b }: Part) => (op === ops.number ? b : op === ops.shortYear ? 2 : 0);
    this.#rest = Uint8Array.from(parts, (_, index) => {
      let digits = 0;
      for (let next = index + 1; next < parts.length; next++) {
        const needed = needs(parts[next] as Part);
        if (needed === 0) break;
        digits += needed;
      }
      return digits;
    });
    this.#isHalfDay = parts.some(({ letters }) => letters === 'h' || letters === 'hh');
  }

  read(bytes: Uint8Array, start: number, end: number, out: ReadTimestamp): boolean {
    const parts = this.#ops;
    const { length } = parts;
    const fieldsRead = this.#fields;
    for (let field = 0; field < fieldCount; field++) fieldsRead[field] = absent;
    fieldsRead[fields.offset] = noOffset;
    this.#at = start;
    // of the optional part that is being read
    let optionalEnd = -1;
    let optionalAt = start;
    for (let part = 0; part < length; part++) {
      if (part === optionalEnd) optionalEnd = -1;
      const op = parts[part];
      if (op === ops.literal && this.#at < end && bytes[this.#at] === this.#a[part]) this.#at++;
      else if (op === ops.optional) {
        optionalEnd = this.#a[part] as number;
        optionalAt = this.#at;
        this.#before.set(fieldsRead);
      } else if (!this.#step(part, bytes, end)) {
        if (optionalEnd < 0) return false;
        fieldsRead.set(this.#before);
        this.#at = optionalAt;
        part = optionalEnd - 1;
      }
    }
    return this.#at === end && this.#finish(out);
  }

  /** Reads one part at `#at`, and moves behind it. */
  #step(part: number, bytes: Uint8Array, end: number): boolean {
    switch (this.#ops[part]) {
      case ops.number:
        return this.#number(part, bytes, end);
      case ops.literal:
        return false;
      case ops.blanks:
        return this.#blanks(bytes, end);
      case ops.shortYear: {
        const year = this.#digits(bytes, end, 2);
        this.#fields[fields.year] = year < 69 ? 2000 + year : 1900 + year;
        return this.#read === 2;
      }
      case ops.fraction: {
        const digits = this.#digits(bytes, end, Math.min(9, this.#run(bytes, end) - (this.#rest[part] as number)));
        this.#fields[fields.micros] = Math.floor((digits * 1_000_000) / 10 ** this.#read);
        return this.#read > 0;
      }
      case ops.hourMinute: {
        const number = this.#digits(bytes, end, 4);
        this.#fields[fields.hour] = Math.floor(number / 100);
        this.#fields[fields.minute] = number % 100;
        return this.#read > 0;
      }
      case ops.monthName: {
        if (this.#at + 3 > end) return false;
        let name = '';
        for (let i = 0; i < 3; i++) name += String.fromCharCode((bytes[this.#at++] as number) | 32);
        this.#fields[fields.month] = months.get(name) ?? absent;
        return months.has(name);
      }
      case ops.half:
        return this.#half(bytes, end, this.#a[part] === 1);
      default:
        if (!readOffset(bytes, this.#at, end, offsetForms[this.#a[part] as number] as OffsetForms)) return false;
        this.#fields[fields.offset] = offset.us;
        this.#at = offset.end;
        return true;
    }
  }

  /** How many digits `#digits` read. */
  #read = 0;

  #digits(bytes: Uint8Array, end: number, most: number): number {
    let value = 0;
    const start = this.#at;
    const stop = Math.min(end, start + most);
    let at = start;
    for (; at < stop; at++) {
      const digit = (bytes[at] as number) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#at = at;
    this.#read = at - start;
    return value;
  }

  /** How many digits stand here; no pattern takes more than its own length of them. */
  #run(bytes: Uint8Array, end: number): number {
    let at = this.#at;
    const stop = Math.min(end, at + 128);
    while (at < stop && (bytes[at] as number) >= 48 && (bytes[at] as number) <= 57) at++;
    return at - this.#at;
  }

  #number(part: number, bytes: Uint8Array, end: number): boolean {
    const min = this.#min[part] as number;
    let max = this.#max[part] as number;
    const rest = this.#rest[part] as number;
    if (max > min && rest > 0) max = Math.max(min, Math.min(max, this.#run(bytes, end) - rest));
    let at = this.#at;
    const first = at;
    const stop = Math.min(end, at + max);
    let value = 0;
    for (; at < stop; at++) {
      const digit = (bytes[at] as number) - 48;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    this.#at = at;
    this.#fields[this.#a[part] as number] = value;
    return at - first >= min;
  }

  /** One or more blanks, those that do not break included: U+00A0 and U+202F. */
  #blanks(bytes: Uint8Array, end: number): boolean {
    let at = this.#at;
    for (;;) {
      if (at < end && (bytes[at] === 32 || bytes[at] === 9)) at++;
      else if (at + 1 < end && bytes[at] === 0xc2 && bytes[at + 1] === 0xa0) at += 2;
      else if (at + 2 < end && bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && bytes[at + 2] === 0xaf) at += 3;
      else break;
    }
    const isRead = at > this.#at;
    this.#at = at;
    return isRead;
  }

  #half(bytes: Uint8Array, end: number, isNarrow: boolean): boolean {
    const letter = this.#at < end ? (bytes[this.#at] as number) | 32 : 0;
    if (letter !== 97 && letter !== 112) return false;
    this.#fields[fields.half] = letter === 112 ? 1 : 0;
    this.#at++;
    if (isNarrow) return true;
    const hasDots = bytes[this.#at] === 46 && this.#at + 3 <= end;
    if (hasDots) this.#at++;
    if (this.#at >= end || ((bytes[this.#at++] as number) | 32) !== 109) return false;
    return !hasDots || bytes[this.#at++] === 46;
  }

  #finish(out: ReadTimestamp): boolean {
    const read = this.#fields;
    // where an optional part was left out, those that are smaller have nothing to belong to
    for (let field = fields.minute; field <= fields.micros; field++) {
      if (read[field] !== absent && read[field - 1] === absent) return false;
    }
    const days = this.#days(read[fields.year] as number, read[fields.month] as number, read[fields.day] as number);
    const hour = this.#hour(read[fields.hour] as number, read[fields.half] as number);
    if (hour < 0) return false;
    const minute = Math.max(0, read[fields.minute] as number);
    const second = Math.max(0, read[fields.second] as number);
    if (!this.#clock.set(days, hour, minute, second, Math.max(0, read[fields.micros] as number), out)) return false;
    const offsetUs = read[fields.offset] as number;
    if (Number.isNaN(offsetUs)) return true;
    out.us -= offsetUs;
    out.isUtc = true;
    return true;
  }

  /** The days since 1970; NaN for a date that does not exist, or a day of the year that is not that of the month. */
  #days(year: number, month: number, day: number): number {
    const dayOfYear = this.#fields[fields.dayOfYear] as number;
    if (dayOfYear === absent) return month >= 1 ? this.#clock.days(year, month, day) : Number.NaN;
    const days = this.#clock.days(year, 0, dayOfYear);
    if (month === absent && day === absent) return days;
    const date = new Date(days * dayMs);
    const isMonth = month === absent || month === date.getUTCMonth() + 1;
    return isMonth && (day === absent || day === date.getUTCDate()) ? days : Number.NaN;
  }

  /** The hour of 24; negative where it and the half of the day do not agree, or one is there without the other. */
  #hour(given: number, half: number): number {
    if (given === absent && half === absent) return 0;
    const hour = Math.max(0, given);
    if (this.#isHalfDay) return half !== absent && hour >= 1 && hour <= 12 ? (hour % 12) + 12 * half : -1;
    return half === absent || hour === 24 || hour >= 12 === (half === 1) ? hour : -1;
  }
}
