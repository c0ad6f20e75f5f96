import { daysInMonth, parseInstant } from './instant.js';

const shape =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](?<offsetHours>\d\d):(?<offsetMinutes>\d\d))$/;
const withoutZone = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/;

/** What no calendar or clock has, of a text that is written as it should be. */
function nonexistent(found: RegExpExecArray): string {
  const [, year = '', month = '', day = '', hour = '', minute = '', second = ''] = found;
  const days = daysInMonth(Number(year), Number(month));
  if (days === 0) return `There is no month ${month}; give 01 to 12.`;
  if (Number(day) < 1 || Number(day) > days) return `${year}-${month} has no day ${day}; give 01 to ${days}.`;
  if (hour === '24') return 'There is no hour 24; midnight is 00:00:00 of the day that begins then.';
  if (Number(hour) > 23) return `There is no hour ${hour}; give 00 to 23.`;
  if (Number(minute) > 59) return `There is no minute ${minute}; give 00 to 59.`;
  if (Number(second) > 60) return `There is no second ${second}; give 00 to 59.`;
  const { offsetHours = '00', offsetMinutes = '00' } = found.groups ?? {};
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59)
    return 'There is no such offset; give -23:59 to +23:59, such as +02:00.';
  return 'Second 60 is a leap second, which is at 23:59:60 in UTC only; give 00 to 59.';
}

/**
 * Why a text that `parseInstant` refuses is no instant, for a person: it lacks the zone, or names what does not exist
 * (a 29th of February, hour 24), or is not written as an instant at all.
 */
export function instantFault(text: string): string {
  if (withoutZone.test(text))
    return 'The time has no zone: end it with Z or an offset such as +02:00; a local time is never guessed.';
  const found = shape.exec(text);
  return found !== null && parseInstant(text) === undefined
    ? nonexistent(found)
    : 'Give an RFC 3339 date-time with Z or an offset, such as 2026-01-31T12:00:00Z.';
}
