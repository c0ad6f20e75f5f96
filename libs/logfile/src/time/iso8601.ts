import { CivilClock, type OffsetForms, offset, readOffset, twoDigits } from './civil.js';
import type { ReadTimestamp, TimestampFormat } from './timestamp-format.js';

const forms: OffsetForms = { upperZ: true, lowerZ: true, hours: false, basic: true, extended: true };

/** `2024-05-01T12:00:00.5+02:00`: `T`, `t` or a blank, without seconds, fraction and offset if need be. */
export class Iso8601Format implements TimestampFormat {
  readonly #clock = new CivilClock();

  read(bytes: Uint8Array, start: number, end: number, out: ReadTimestamp): boolean {
    if (end - start < 16 || bytes[start + 4] !== 45 || bytes[start + 7] !== 45 || bytes[start + 13] !== 58)
      return false;
    const between = bytes[start + 10];
    if (between !== 84 && between !== 116 && between !== 32) return false;
    const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
    const month = twoDigits(bytes, start + 5);
    // 0 would stand for a day of the year
    if (month <= 0 || year < 0) return false;
    const days = this.#clock.days(year, month, twoDigits(bytes, start + 8));
    const hour = twoDigits(bytes, start + 11);
    const minute = twoDigits(bytes, start + 14);
    let second = 0;
    let micros = 0;
    let at = start + 16;
    if (at + 2 < end && bytes[at] === 58) {
      second = twoDigits(bytes, at + 1);
      at += 3;
      if (at < end && (bytes[at] === 46 || bytes[at] === 44)) {
        const first = ++at;
        for (let scale = 100_000; at < end; at++) {
          const digit = (bytes[at] as number) - 48;
          if (digit < 0 || digit > 9) break;
          micros += digit * scale;
          scale = Math.floor(scale / 10);
        }
        if (at === first) return false;
      }
    }
    if ((hour | minute | second) < 0) return false;
    if (!this.#clock.set(days, hour, minute, second, micros, out)) return false;
    if (at === end) return true;
    if (!readOffset(bytes, at, end, forms) || offset.end !== end) return false;
    out.us -= offset.us;
    out.isUtc = true;
    return true;
  }
}
