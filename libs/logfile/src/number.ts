/** Powers of ten that a double holds exactly. */
const powers = Float64Array.from({ length: 23 }, (_, exponent) => 10 ** exponent);
/** With no more digits than this, a whole number is exact in a double. */
const exactDigits = 15;

/** Whether a byte is an ASCII digit. */
export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 48 && byte <= 57;

/**
 * Reads a number from bytes: sign, ASCII digits with at most one decimal mark, exponent. A digit stands
 * before or after the mark.
 *
 * @returns the nearest double, never -0; infinite where it overflows; NaN where the bytes are no number
 */
export function readNumber(bytes: Uint8Array, start: number, end: number, mark: number): number {
  let at = start;
  const isNegative = bytes[at] === 45;
  if (isNegative || bytes[at] === 43) at++;
  let whole = 0;
  const digitsStart = at;
  for (; at < end; at++) {
    const digit = (bytes[at] as number) - 48;
    if (digit < 0 || digit > 9) break;
    whole = whole * 10 + digit;
  }
  let digits = at - digitsStart;
  let fractionDigits = 0;
  if (at < end && bytes[at] === mark) {
    const fractionStart = ++at;
    for (; at < end; at++) {
      const digit = (bytes[at] as number) - 48;
      if (digit < 0 || digit > 9) break;
      whole = whole * 10 + digit;
    }
    fractionDigits = at - fractionStart;
    digits += fractionDigits;
  }
  if (digits === 0) return Number.NaN;
  if (at < end && !isExponent(bytes, at, end)) return Number.NaN;
  // both are exact, so the quotient is the nearest double (Clinger, "How to read floating point numbers accurately")
  const value =
    at === end && digits <= exactDigits
      ? whole / (powers[fractionDigits] as number)
      : longNumber(bytes, digitsStart, end, mark);
  return value === 0 ? 0 : isNegative ? -value : value;
}

function isExponent(bytes: Uint8Array, start: number, end: number): boolean {
  if (((bytes[start] as number) | 32) !== 101) return false;
  let at = start + 1;
  if (at < end && (bytes[at] === 43 || bytes[at] === 45)) at++;
  if (at >= end) return false;
  for (; at < end; at++) if (!isDigit(bytes[at])) return false;
  return true;
}

function ascii(bytes: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at] as number);
  return text;
}

/** What has many digits or an exponent; its form was checked. */
function longNumber(bytes: Uint8Array, start: number, end: number, mark: number): number {
  const text = ascii(bytes, start, end);
  return Number(mark === 46 ? text : text.replace(',', '.'));
}

/**
 * Whether a number that was read has a fraction. The double tells it, but for those too large, too
 * small or too long for one: their digits do.
 */
export function hasFraction(value: number, bytes: Uint8Array, start: number, end: number): boolean {
  if (!Number.isInteger(value)) return true;
  if (value !== 0 && end - start <= exactDigits) return false;
  let at = start;
  let fractionDigits = 0;
  let trailingZeros = 0;
  let isAfterMark = false;
  for (; at < end && ((bytes[at] as number) | 32) !== 101; at++) {
    const byte = bytes[at];
    if (isAfterMark) fractionDigits++;
    if (byte === 46 || byte === 44) isAfterMark = true;
    else trailingZeros = byte === 48 ? trailingZeros + 1 : 0;
  }
  const isZero = trailingZeros >= at - start - 2 && !/[1-9]/.test(ascii(bytes, start, at));
  return !isZero && trailingZeros < fractionDigits - (at < end ? Number(ascii(bytes, at + 1, end)) : 0);
}
