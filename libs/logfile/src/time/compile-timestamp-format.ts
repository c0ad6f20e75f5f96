import { EpochFormat } from './epoch.js';
import { ExcelSerialFormat } from './excel-serial.js';
import { compilePattern } from './fixed-format.js';
import { Iso8601Format } from './iso8601.js';
import type { TimestampFormat } from './timestamp-format.js';

const epochPlaces: ReadonlyMap<string, number> = new Map([
  ['unix_s', 6],
  ['unix_ms', 3],
  ['unix_us', 0],
  ['unix_ns', -3],
]);

/** How timestamps of an `input_format` are read; `mark` is the file's decimal mark. */
export function compileTimestampFormat(inputFormat: string, mark: number): TimestampFormat {
  if (inputFormat === 'iso8601') return new Iso8601Format();
  if (inputFormat === 'excel_serial') return new ExcelSerialFormat(mark);
  const places = epochPlaces.get(inputFormat);
  return places === undefined ? compilePattern(inputFormat) : new EpochFormat(places);
}
