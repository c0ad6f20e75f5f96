import { compileTimestampFormat } from './compile-timestamp-format.js';
import type { ReadTimestamp } from './timestamp-format.js';

/** Longer than any timestamp. */
const textBytes = 1024;

/**
 * Reads texts of an `input_format` one by one as microseconds since 1970, local times as if they were UTC;
 * undefined for what is no such timestamp. Files are read from their bytes instead; this is to try and to measure a format.
 */
export function timestampReader(inputFormat: string): (text: string) => number | undefined {
  const format = compileTimestampFormat(inputFormat, 46);
  const bytes = Buffer.alloc(textBytes);
  const out: ReadTimestamp = { us: 0, isUtc: false, isLeap: false };
  return (text) => {
    // what is cut off would make a longer text a timestamp
    if (text.length >= textBytes / 4) return undefined;
    let length = 0;
    for (; length < text.length; length++) {
      const unit = text.charCodeAt(length);
      if (unit >= 128) break;
      bytes[length] = unit;
    }
    if (length < text.length) length = bytes.write(text);
    return format.read(bytes, 0, length, out) ? out.us : undefined;
  };
}
