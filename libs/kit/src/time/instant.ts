/**
 * Instants are numbers of microseconds since 1970-01-01T00:00:00Z (leap seconds not counted):
 * exact in a double until 2255, and exactly the precision of the contract.
 */

const digit = (text: string, at: number): number => {
  const d = text.charCodeAt(at) - 48;
  return d >= 0 && d <= 9 ? d : Number.NaN;
};
const two = (text: string, at: number): number => digit(text, at) * 10 + digit(text, at + 1);

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** How many days a month of the proleptic Gregorian calendar has, from 1 for January; none where there is no such month. */
export function daysInMonth(year: number, month: number): number {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  return month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0);
}

/**
 * Days from 1970-01-01 to a date of the proleptic Gregorian calendar
 * (Howard Hinnant, "chrono-compatible low-level date algorithms", days_from_civil).
 */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146097 + dayOfEra - 719468;
}

/**
 * Reads an RFC 3339 date-time with `Z` or a numeric offset. Digits past the microsecond are
 * truncated; a leap second (`:60`, where UTC reads 23:59) becomes the next second.
 *
 * @returns microseconds since 1970, or undefined when the text is not such a date-time
 */
export function parseInstant(text: string): number | undefined {
  const length = text.length;
  if (length < 20 || text[4] !== '-' || text[7] !== '-' || text[13] !== ':' || text[16] !== ':') return undefined;
  const separator = text[10];
  if (separator !== 'T' && separator !== 't' && separator !== ' ') return undefined;
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  // written so that a NaN from a non-digit fails each comparison
  if (!(year >= 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return undefined;
  if (!(hour <= 23 && minute <= 59 && second <= 60)) return undefined;

  let at = 19;
  let micros = 0;
  if (text[at] === '.') {
    let scale = 100_000;
    const first = ++at;
    for (; at < length; at++) {
      const d = digit(text, at);
      if (Number.isNaN(d)) break;
      if (scale >= 1) micros += d * scale;
      scale /= 10;
    }
    if (at === first) return undefined;
    micros = Math.floor(micros);
  }

  let offsetMinutes = 0;
  const sign = text[at];
  if (sign === 'Z' || sign === 'z') {
    if (at + 1 !== length) return undefined;
  } else if ((sign === '+' || sign === '-') && at + 6 === length && text[at + 3] === ':') {
    const offsetHours = two(text, at + 1);
    const minutes = two(text, at + 4);
    if (!(offsetHours <= 23 && minutes <= 59)) return undefined;
    offsetMinutes = (offsetHours * 60 + minutes) * (sign === '-' ? -1 : 1);
  } else return undefined;

  const minutes = daysFromCivil(year, month, day) * 1440 + hour * 60 + minute - offsetMinutes;
  if (second === 60 && ((minutes % 1440) + 1440) % 1440 !== 1439) return undefined;
  return (minutes * 60 + second) * 1_000_000 + micros;
}

/** The years 0000 to 9999, which RFC 3339 can write: an offset leads out of them, and so does rounding. */
const writableMinUs = Date.parse('0000-01-01T00:00:00.000Z') * 1000;
const writableMaxUs = Date.parse('9999-12-31T23:59:59.999Z') * 1000;

/** A day of 24 hours in microseconds. */
export const dayUs = 86_400_000_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** Instants that are written one after the other mostly share their day, whose text takes longer than all the rest. */
const lastDay = { number: Number.NaN, text: '' };

/** `2026-11-28T` of a day since 1970-01-01. */
function dayText(day: number): string {
  if (day !== lastDay.number) {
    lastDay.text = new Date(day * (dayUs / 1000)).toISOString().slice(0, 11);
    lastDay.number = day;
  }
  return lastDay.text;
}

/**
 * Writes an instant as RFC 3339 in UTC with `Z` and three fractional digits, or six when the
 * microseconds are not whole milliseconds. Exact for the years 1700 to 2255; outside of 0000 to 9999
 * the nearest edge.
 */
export function formatInstant(us: number): string {
  const writableUs = Math.min(Math.max(us, writableMinUs), writableMaxUs);
  // the remainder is exact for any double, a quotient is not
  let rest = writableUs % dayUs;
  if (rest < 0) rest += dayUs;
  const day = Math.round((writableUs - rest) / dayUs);
  const micros = rest % 1000;
  rest = (rest - micros) / 1000;
  const millis = rest % 1000;
  rest = (rest - millis) / 1000;
  const seconds = rest % 60;
  rest = (rest - seconds) / 60;
  const minutes = rest % 60;
  const hours = (rest - minutes) / 60;
  const fraction = micros === 0 ? threeDigits[millis] : `${threeDigits[millis]}${threeDigits[micros]}`;
  return `${dayText(day)}${twoDigits[hours]}:${twoDigits[minutes]}:${twoDigits[seconds]}.${fraction}Z`;
}

/** 1700-01-01T00:00:00Z: observations lie at or after it. */
export const observationInstantMinUs = Date.UTC(1700, 0, 1) * 1000;
/** 2250-01-01T00:00:00Z: observations lie before it. */
export const observationInstantEndUs = Date.UTC(2250, 0, 1) * 1000;
