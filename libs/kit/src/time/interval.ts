/** A length of time that buckets have: so many units of a calendar, or an absolute time. */
export interface Interval {
  readonly unit: 'month' | 'week' | 'day' | 'microsecond';
  readonly count: number;
}

const shape =
  /^P(?:(\d{1,9})Y)?(?:(\d{1,9})M)?(?:(\d{1,9})W)?(?:(\d{1,9})D)?(?:(T)(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.(\d{1,6}))?S)?)?$/;

/** Every ISO 8601 duration, those included that no bucket has: decimals of any unit, and more digits than count. */
const anyDuration =
  /^P(?=.)(?:[\d.,]+Y)?(?:[\d.,]+M)?(?:[\d.,]+W)?(?:[\d.,]+D)?(?:T(?=.)(?:[\d.,]+H)?(?:[\d.,]+M)?(?:[\d.,]+S)?)?$/;

const tooLong = 'Give more than nothing, and at most a thousand years, or a hundred years of hours.';

/** Why a text that has not the shape is none of the durations that can be used, for a person. */
function shapeFault(text: string): string {
  if (!anyDuration.test(text)) return 'Give an ISO 8601 duration such as PT15M, P1D, P1W, P1M or P1Y.';
  return /[.,]/.test(text)
    ? 'Give whole numbers, such as PT90M for an hour and a half; only seconds may have decimals, a point and one to six digits.'
    : tooLong;
}

/** A hundred years of hours, and a thousand of the calendar: more than there are observations for. */
const countMax = { month: 12_000, week: 52_178, day: 365_243, microsecond: 876_600 * 3_600_000_000 } as const;

/** An interval that may be used, or what is wrong with it, for a person. */
export type ParsedInterval = { readonly interval: Interval } | { readonly fault: string };

/**
 * Reads an ISO 8601 duration as the length of buckets: years and months, weeks and days, or hours,
 * minutes and seconds (with up to six decimals). Those three kinds do not mix, since no bucket is both
 * so many calendar months and so many hours long.
 */
export function parseInterval(text: string): ParsedInterval {
  const found = shape.exec(text);
  if (found === null || /[PT]$/.test(text)) return { fault: shapeFault(text) };
  const [, years, months, weeks, days, time, hours, minutes, seconds, decimals = ''] = found;
  const number = (digits: string | undefined): number => Number(digits ?? 0);
  const isMonths = years !== undefined || months !== undefined;
  const isDays = weeks !== undefined || days !== undefined;
  if (Number(isMonths) + Number(isDays) + Number(time !== undefined) > 1) {
    return { fault: 'Give years and months, or weeks and days, or hours, minutes and seconds: these do not mix.' };
  }
  const interval: Interval = isMonths
    ? { unit: 'month', count: number(years) * 12 + number(months) }
    : isDays
      ? days === undefined
        ? { unit: 'week', count: number(weeks) }
        : { unit: 'day', count: number(weeks) * 7 + number(days) }
      : {
          unit: 'microsecond',
          count:
            ((number(hours) * 60 + number(minutes)) * 60 + number(seconds)) * 1_000_000 +
            Number(decimals.padEnd(6, '0')),
        };
  if (interval.count < 1 || interval.count > countMax[interval.unit]) {
    return { fault: tooLong };
  }
  return { interval };
}

/** Writes an interval as an ISO 8601 duration, in the largest units that are whole. */
export function formatInterval({ unit, count }: Interval): string {
  if (unit === 'month') return count % 12 === 0 ? `P${count / 12}Y` : `P${count}M`;
  if (unit !== 'microsecond') return `P${count}${unit === 'week' ? 'W' : 'D'}`;
  if (count % 3_600_000_000 === 0) return `PT${count / 3_600_000_000}H`;
  if (count % 60_000_000 === 0) return `PT${count / 60_000_000}M`;
  const seconds = Math.floor(count / 1_000_000);
  const decimals = String(count % 1_000_000)
    .padStart(6, '0')
    .replace(/0{1,6}$/, '');
  return `PT${seconds}${decimals === '' ? '' : `.${decimals}`}S`;
}
