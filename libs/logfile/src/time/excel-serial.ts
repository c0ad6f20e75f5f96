import { dayUs } from '@weir/kit/time';
import { readNumber } from '../number.js';
import type { ReadTimestamp, TimestampFormat } from './timestamp-format.js';

/** 1899-12-30, in days since 1970. */
const epochDays = -25_569;
/** Before it, 1 March 1900, spreadsheets have a 29 February that never was. */
const firstSerial = 61;
const dayMs = dayUs / 1000;

/** Days of a spreadsheet, in local time, rounded to the millisecond. */
export class ExcelSerialFormat implements TimestampFormat {
  readonly #mark: number;

  constructor(mark: number) {
    this.#mark = mark;
  }

  read(bytes: Uint8Array, start: number, end: number, out: ReadTimestamp): boolean {
    const serial = readNumber(bytes, start, end, this.#mark);
    if (!(serial >= firstSerial)) return false;
    out.us = (Math.round(serial * dayMs) + epochDays * dayMs) * 1000;
    out.isUtc = false;
    out.isLeap = false;
    return true;
  }
}
