import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CellReader } from './cell-reader.js';
import { recordLinesMax } from './limits.js';
import { hasFraction, readNumber } from './number.js';
import { RecordScanner } from './record-scanner.js';
import { encodingOf, utf8 } from './text-encoding.js';
import { Utf16Transcoder } from './utf16.js';

/** The cells of each record. */
function recordsOf(text: string, delimiter: 'comma' | 'semicolon' | 'tab'): string[][] {
  const bytes = Buffer.from(text);
  const scanner = new RecordScanner(delimiter, true);
  const cell = new CellReader(scanner, utf8);
  const records: string[][] = [];
  for (let at = 0; at < bytes.length; at = scanner.next) {
    expect(scanner.scan(bytes, at, bytes.length, true)).toBe('record');
    cell.begin(bytes);
    records.push(
      Array.from({ length: scanner.count }, (_, index) => {
        cell.load(index);
        return cell.text();
      }),
    );
  }
  return records;
}

describe('records are those of csv-parse, where it has the same rules', () => {
  const plain = fc.constantFrom('', '1', '-2.5', 'a b', 'é', '日本', "it's");
  const quoted = fc
    .array(fc.constantFrom('a', ',', ';', '\t', '""', '\n', '\r\n', 'é', '1'), { maxLength: 6 })
    .map((parts) => `"x${parts.join('')}x"`);
  const record = fc
    .array(fc.oneof(plain, quoted), { minLength: 2, maxLength: 5 })
    // csv-parse has no bound on the lines of a record
    .filter((cells) => cells.join('').split('\n').length <= recordLinesMax);
  const delimiters = fc.constantFrom(['comma', ','], ['semicolon', ';'], ['tab', '\t']) as fc.Arbitrary<
    ['comma' | 'semicolon' | 'tab', string]
  >;

  test('cells, quotes and line breaks', () => {
    fc.assert(
      fc.property(
        fc.array(record, { maxLength: 6 }),
        delimiters,
        fc.constantFrom('\n', '\r\n'),
        (records, [name, byte], end) => {
          const text = records.map((cells) => `${cells.join(byte)}${end}`).join('');
          const reference = parse(text, {
            delimiter: byte,
            record_delimiter: ['\r\n', '\n'],
            relax_column_count: true,
          });
          expect(recordsOf(text, name)).toEqual(reference);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('numbers', () => {
  const read = (text: string, mark = 46) => readNumber(Buffer.from(`x${text}x`), 1, 1 + Buffer.byteLength(text), mark);
  const digits = (maxLength: number) =>
    fc.array(fc.integer({ min: 0, max: 9 }), { maxLength }).map((all) => all.join(''));
  const spelling = fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits(22),
      fc.constantFrom('', '.'),
      digits(22),
      fc.constantFrom('', 'e', 'E-', 'e+'),
      digits(3),
    )
    .map(
      ([sign, whole, mark, fraction, e, exponent]) => `${sign}${whole}${mark}${mark && fraction}${e}${e && exponent}`,
    );

  test('are the doubles that the language reads from the same text', () => {
    fc.assert(
      fc.property(spelling, (text) => {
        const isNumber = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text);
        const value = isNumber ? Number(text) + 0 : Number.NaN;
        expect(read(text)).toBe(value);
        expect(read(text.replace('.', ','), 44)).toBe(value);
      }),
      { numRuns: 2000 },
    );
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(read(String(value))).toBe(value + 0);
      }),
    );
  });

  test('have a fraction where their digits say so', () => {
    const number = fc.tuple(fc.bigInt(-(10n ** 20n), 10n ** 20n), fc.integer({ min: 0, max: 25 }));
    fc.assert(
      fc.property(number, fc.integer({ min: -5, max: 5 }), ([whole, places], exponent) => {
        const unsigned = String(whole < 0n ? -whole : whole).padStart(places + 1, '0');
        const point = unsigned.length - places;
        const text = `${whole < 0n ? '-' : ''}${unsigned.slice(0, point)}.${unsigned.slice(point)}e${exponent}`;
        const shift = BigInt(Math.max(0, places - exponent));
        const bytes = Buffer.from(text);
        expect(hasFraction(readNumber(bytes, 0, bytes.length, 46), bytes, 0, bytes.length)).toBe(
          whole % 10n ** shift !== 0n,
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe('encodings', () => {
  test('windows-1252 is that of the platform, but for the five bytes that mean nothing', () => {
    const platform = new TextDecoder('windows-1252');
    const { decode, isValid } = encodingOf('windows-1252');
    for (let byte = 0; byte < 256; byte++) {
      const bytes = Uint8Array.of(byte);
      const isNothing = [0x81, 0x8d, 0x8f, 0x90, 0x9d].includes(byte);
      expect(isValid(bytes, 0, 1)).toBe(!isNothing);
      expect(decode(bytes, 0, 1)).toBe(isNothing ? '\ufffd' : platform.decode(bytes));
    }
  });

  test('UTF-16 becomes UTF-8, in whatever chunks', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 7 }), fc.boolean(), (text, size, isBig) => {
        const bytes = Buffer.from(text, 'utf16le');
        if (isBig) bytes.swap16();
        const transcoder = new Utf16Transcoder(isBig);
        const parts: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) parts.push(transcoder.write(bytes.subarray(at, at + size)));
        expect(Buffer.concat([...parts, transcoder.end()]).toString('utf8')).toBe(text);
      }),
    );
  });
});
