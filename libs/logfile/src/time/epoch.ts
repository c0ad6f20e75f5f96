import { isDigit } from '../number.js';
import type { ReadTimestamp, TimestampFormat } from './timestamp-format.js';

/** Beyond this many microseconds nothing is an instant of an observation, and below it all is exact. */
const usMax = 1e16;

/** Time since 1970 in a decimal unit: digits, a sign, a fraction; cut to microseconds digit by digit. */
export class EpochFormat implements TimestampFormat {
  /** Digits between the unit and the microsecond: 6 for seconds, -3 for nanoseconds. */
  readonly #places: number;

  constructor(places: number) {
    this.#places = places;
  }

  read(bytes: Uint8Array, start: number, end: number, out: ReadTimestamp): boolean {
    let at = start;
    const isNegative = bytes[at] === 45;
    if (at < end && (isNegative || bytes[at] === 43)) at++;
    const wholeStart = at;
    while (at < end && isDigit(bytes[at])) at++;
    const whole = at - wholeStart;
    let fractionStart = at;
    if (at < end && (bytes[at] === 46 || bytes[at] === 44)) {
      fractionStart = ++at;
      while (at < end && isDigit(bytes[at])) at++;
      if (at === fractionStart) return false;
    }
    if (whole === 0 || at !== end) return false;
    const kept = whole + this.#places;
    let us = 0;
    for (let place = 0; place < kept && us < usMax; place++) {
      const byte = place < whole ? bytes[wholeStart + place] : bytes[fractionStart + place - whole];
      const isThere = place < whole || fractionStart + place - whole < end;
      us = us * 10 + (isThere ? (byte as number) - 48 : 0);
    }
    out.us = isNegative ? -us + 0 : us;
    out.isUtc = true;
    out.isLeap = false;
    return true;
  }
}
