const dayUs = 86_400_000_000;
/** `2026-01-31T12:00:00.000000Z` */
const instantBytes = 27;
/** A double takes no more characters than `-1.2345678901234567e-100`. */
const valueBytesMax = 24;

const utf8 = new TextEncoder();

/** The lines of one series: what stands before the instant, between it and the value, and after that. */
export interface LineFrame {
  readonly head: Uint8Array;
  readonly middle: Uint8Array;
  readonly tail: Uint8Array;
}

/** How lines name their series. */
export interface LineSeries {
  readonly variableId: string;
  readonly variableName: string;
  readonly unit?: string | undefined;
}

/** The first line of CSV. */
export const csvHeader: Uint8Array = utf8.encode('timestamp,variable_id,variable_name,unit,value\r\n');

/**
 * A text as a cell of CSV (RFC 4180). One that a spreadsheet would take for a formula is made text by an
 * apostrophe (OWASP, CSV injection): names come from whoever sends points.
 */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@\t\r]./su.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** The lines of a series in CSV. */
export function csvFrame({ variableId, variableName, unit }: LineSeries): LineFrame {
  const middle = `,${variableId},${csvCell(variableName)},${csvCell(unit ?? '')},`;
  return { head: new Uint8Array(), middle: utf8.encode(middle), tail: utf8.encode('\r\n') };
}

/** The lines of a series as JSON, an object each. */
export function ndjsonFrame({ variableId, variableName, unit }: LineSeries): LineFrame {
  const named = JSON.stringify({ variable_id: variableId, variable_name: variableName, unit: unit ?? null });
  return {
    head: utf8.encode('{"timestamp":"'),
    middle: utf8.encode(`",${named.slice(1, -1)},"value":`),
    tail: utf8.encode('}\n'),
  };
}

function writeDigits(bytes: Uint8Array, at: number, count: number, number: number): void {
  let rest = number;
  for (let digit = count - 1; digit >= 0; digit--) {
    const tenth = Math.floor(rest / 10);
    bytes[at + digit] = 48 + rest - tenth * 10;
    rest = tenth;
  }
}

function writeText(bytes: Uint8Array, at: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
  return at + text.length;
}

/** Writes the time of day, `12:00:00.000Z` or with six digits when they carry something. @returns where it ends */
function writeTime(bytes: Uint8Array, at: number, ofDayUs: number): number {
  const micros = ofDayUs % 1_000_000;
  const seconds = (ofDayUs - micros) / 1_000_000;
  const ofHour = seconds % 3600;
  writeDigits(bytes, at, 2, (seconds - ofHour) / 3600);
  bytes[at + 2] = 58;
  writeDigits(bytes, at + 3, 2, Math.floor(ofHour / 60));
  bytes[at + 5] = 58;
  writeDigits(bytes, at + 6, 2, ofHour % 60);
  bytes[at + 8] = 46;
  const digits = micros % 1000 === 0 ? 3 : 6;
  writeDigits(bytes, at + 9, digits, digits === 3 ? micros / 1000 : micros);
  bytes[at + 9 + digits] = 90;
  return at + 10 + digits;
}

/**
 * Writes a line for each observation, its instant in the public form. Byte by byte: as strings it takes three
 * times as long.
 */
export function encodeLines(instantsUs: Float64Array, values: Float64Array, frame: LineFrame): Uint8Array {
  const { head, middle, tail } = frame;
  const lineBytesMax = head.length + instantBytes + middle.length + valueBytesMax + tail.length;
  const bytes = new Uint8Array(instantsUs.length * lineBytesMax);
  let at = 0;
  let day = Number.NaN;
  let dayText = '';
  for (let i = 0; i < instantsUs.length; i++) {
    const us = instantsUs[i] as number;
    const ofDay = Math.floor(us / dayUs);
    if (ofDay !== day) {
      day = ofDay;
      dayText = new Date(day * (dayUs / 1000)).toISOString().slice(0, 11);
    }
    bytes.set(head, at);
    at = writeText(bytes, at + head.length, dayText);
    at = writeTime(bytes, at, us - day * dayUs);
    bytes.set(middle, at);
    at = writeText(bytes, at + middle.length, String(values[i]));
    bytes.set(tail, at);
    at += tail.length;
  }
  return bytes.subarray(0, at);
}
