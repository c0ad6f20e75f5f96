import { daysFromCivil, daysInMonth, dayUs } from '@weir/kit/time';
import { type ReadTimestamp, secondUs } from './timestamp-format.js';

/** Puts date and time together. Rows share their date with the one before, so its days are kept. */
export class CivilClock {
  #key = -1;
  #days = 0;

  /** The days since 1970 of a date, or NaN where it does not exist; without a month, `day` is that of the year. */
  days(year: number, month: number, day: number): number {
    // beyond these, the key of a date that does not exist would be that of another
    if (month > 12 || day < 1 || day > 366) return Number.NaN;
    const key = (year * 16 + month) * 512 + day;
    if (key === this.#key) return this.#days;
    const isReal = day <= (month === 0 ? 337 + daysInMonth(year, 2) : daysInMonth(year, month));
    if (!isReal) return Number.NaN;
    this.#key = key;
    this.#days = month === 0 ? daysFromCivil(year, 1, 1) + day - 1 : daysFromCivil(year, month, day);
    return this.#days;
  }

  /**
   * Sets local time. 24:00 is midnight at the end of its day, a second 60 the one after.
   *
   * @returns false where there is no such time
   */
  set(days: number, hour: number, minute: number, second: number, micros: number, out: ReadTimestamp): boolean {
    // written so that a date that does not exist, which is NaN, fails
    if (!(days >= -1e6) || hour > 24 || minute > 59 || second > 60) return false;
    if (hour === 24 && (minute > 0 || second > 0 || micros > 0)) return false;
    out.us = days * dayUs + ((hour * 60 + minute) * 60 + second) * secondUs + micros;
    out.isLeap = second === 60;
    out.isUtc = false;
    return true;
  }
}

/** A number far below what digits give, however it is multiplied and added to others. */
const noDigits = -1_000_000;

/** Two digits; a number far below 0 where the bytes are none. */
export function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - 48;
  const ones = (bytes[at + 1] as number) - 48;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : noDigits;
}

/** Which forms of an offset are read. */
export interface OffsetForms {
  readonly upperZ: boolean;
  readonly lowerZ: boolean;
  /** `+02` */
  readonly hours: boolean;
  /** `+0200` */
  readonly basic: boolean;
  /** `+02:00` */
  readonly extended: boolean;
}

/** An offset that was read: where it ends, or -1, and its microseconds. */
export const offset = { end: -1, us: 0 };

/** Reads an offset into `offset`. */
export function readOffset(bytes: Uint8Array, at: number, end: number, forms: OffsetForms): boolean {
  const sign = at < end ? bytes[at] : 0;
  if ((sign === 90 && forms.upperZ) || (sign === 122 && forms.lowerZ)) {
    offset.end = at + 1;
    offset.us = 0;
    return true;
  }
  if ((sign !== 43 && sign !== 45) || at + 3 > end) return false;
  const hours = twoDigits(bytes, at + 1);
  let minutes = 0;
  let next = at + 3;
  if (forms.extended && next + 3 <= end && bytes[next] === 58) {
    minutes = twoDigits(bytes, next + 1);
    next += 3;
  } else if (forms.basic && next + 2 <= end && twoDigits(bytes, next) >= 0) {
    minutes = twoDigits(bytes, next);
    next += 2;
  } else if (!forms.hours) return false;
  if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return false;
  offset.end = next;
  offset.us = (sign === 45 ? -60 : 60) * (hours * 60 + minutes) * secondUs;
  return true;
}
