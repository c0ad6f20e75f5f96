const minuteUs = 60_000_000;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));

/** The lines of one series: what stands before the instant, between it and the value, and after that. */
export interface LineFrame {
  readonly head: string;
  readonly middle: string;
  readonly tail: string;
}

/** How lines name their series. */
export interface LineSeries {
  readonly variableId: string;
  readonly variableName: string;
  readonly unit?: string | undefined;
}

/** The first line of CSV. */
export const csvHeader = 'timestamp,variable_id,variable_name,unit,value\r\n';

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
  return { head: '', middle, tail: '\r\n' };
}

/** The lines of a series as JSON, an object each. */
export function ndjsonFrame({ variableId, variableName, unit }: LineSeries): LineFrame {
  const named = JSON.stringify({ variable_id: variableId, variable_name: variableName, unit: unit ?? null });
  return {
    head: '{"timestamp":"',
    middle: `",${named.slice(1, -1)},"value":`,
    tail: '}\n',
  };
}

/**
 * Writes a line for each observation, its instant in the public form, in texts of some `lengthMin` characters.
 * Neighbours mostly share their minute, whose text is made once.
 */
export function* writeLines(
  instantsUs: Float64Array,
  values: Float64Array,
  { head, middle, tail }: LineFrame,
  lengthMin: number,
): Generator<string, void, undefined> {
  let text = '';
  let minute = Number.NaN;
  let minuteText = '';
  for (let i = 0; i < instantsUs.length; i++) {
    const us = instantsUs[i] as number;
    const ofMinute = Math.floor(us / minuteUs);
    if (ofMinute !== minute) {
      minute = ofMinute;
      minuteText = head + new Date(minute * (minuteUs / 1000)).toISOString().slice(0, 17);
    }
    const rest = us - minute * minuteUs;
    const micros = rest % 1000;
    const millis = ((rest - micros) / 1000) % 1000;
    const seconds = twoDigits[Math.floor(rest / 1_000_000)];
    const fraction = micros === 0 ? threeDigits[millis] : `${threeDigits[millis]}${threeDigits[micros]}`;
    text += `${minuteText}${seconds}.${fraction}Z${middle}${values[i]}${tail}`;
    if (text.length >= lengthMin) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}
