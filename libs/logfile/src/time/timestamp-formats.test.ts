import { formatInstant, observationInstantEndUs, observationInstantMinUs, parseInstant } from '@weir/kit/time';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTimestampFormat } from './compile-timestamp-format.js';
import { timestampReader } from './timestamp-reader.js';

/** The instant that a text is, local time as if it were UTC; `bad` where it is none. */
function read(inputFormat: string, text: string, mark = 46): string {
  const bytes = Buffer.from(`##${text}##`);
  const out = { us: Number.NaN, isUtc: false, isLeap: false };
  const isRead = compileTimestampFormat(inputFormat, mark).read(bytes, 2, bytes.length - 2, out);
  if (!isRead) return 'bad';
  const [date = '', time = ''] = formatInstant(out.us).slice(0, -1).split('T');
  return `${date} ${time.replace(/\.000$/, '')}${out.isUtc ? 'Z' : ''}`;
}

describe('patterns', () => {
  test.each([
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:58', '2024-02-29 23:59:58'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29   23:59:58', '2024-02-29 23:59:58'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29\u202f23:59:58', '2024-02-29 23:59:58'],
    ['yyyy-MM-dd HH:mm:ss', '2023-02-29 23:59:58', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-2-29 23:59:58', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:5', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:580', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29T23:59:58', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-00-29 23:59:58', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-00 23:59:58', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-2x 23:59:58', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 24:00:00', '2024-03-01 00:00:00'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 24:00:01', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 25:00:00', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 12:60:00', 'bad'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:60', '2024-03-01 00:00:00'],
    ['yyyy-MM-dd HH:mm:ss', '2024-02-29 23:59:61', 'bad'],
    ['yyyy-MM-dd HH:mm', '٢٠٢٤-02-29 23:59', 'bad'],
    ['yyyy-MM-dd', '2024-02-29', '2024-02-29 00:00:00'],
    ['yy-MM-dd', '69-01-01', '1969-01-01 00:00:00'],
    ['yy-MM-dd', '68-01-01', '2068-01-01 00:00:00'],
    ['yy-MM-dd', 'x8-01-01', 'bad'],
    ['d.M.yy H', '1.2.03 4', '2003-02-01 04:00:00'],
    ['d.M.yy H', '31.12.03 24', '2004-01-01 00:00:00'],
    ['d.M.yy H', '031.12.03 4', 'bad'],
    ['M/d/yyyy h:mm a', '1/9/2020 12:05 am', '2020-01-09 00:05:00'],
    ['M/d/yyyy h:mm a', '1/9/2020 12:05 P.M.', '2020-01-09 12:05:00'],
    ['M/d/yyyy h:mm a', '1/9/2020 1:05 p.m.', '2020-01-09 13:05:00'],
    ['M/d/yyyy h:mm a', '1/9/2020 13:05 PM', 'bad'],
    ['M/d/yyyy h:mm a', '1/9/2020 0:05 AM', 'bad'],
    ['M/d/yyyy h:mm a', '1/9/2020 1:05 p', 'bad'],
    ['M/d/yyyy h:mm a', '1/9/2020 1:05 p.m', 'bad'],
    ['M/d/yyyy h:mm a', '1/9/2020 1:05 xm', 'bad'],
    ['M/d/yyyy[ h:mm a]', '1/9/2020', '2020-01-09 00:00:00'],
    ['M/d/yyyy[ h:mm a]', '1/9/2020 1:05 PM', '2020-01-09 13:05:00'],
    ['M/d/yyyy h:mm[ a]', '1/9/2020 1:05 PM', '2020-01-09 13:05:00'],
    ['M/d/yyyy h:mm[ a]', '1/9/2020 13:05', 'bad'],
    ['M/d/yyyy h:mm[ a]', '1/9/2020 1:05', 'bad'],
    ['M/d/yyyy h:mm[ a]', '1/9/2020 0:05', 'bad'],
    ['M/d/yyyy h:mm[ a]', '1/9/2020 24:00', 'bad'],
    ['M/d/yyyy[ h:mm] a', '1/9/2020 PM', 'bad'],
    ['M/d/yyyy[ h:mm] a', '1/9/2020 AM', 'bad'],
    ['M/d/yyyy h:mma', '1/9/2020 1:05pm', '2020-01-09 13:05:00'],
    ['M/d/yyyy HH:mm a', '1/9/2020 13:05 PM', '2020-01-09 13:05:00'],
    ['M/d/yyyy HH:mm a', '1/9/2020 01:05 PM', 'bad'],
    ['M/dd/yy hh:mmaaaaa', '1/01/24 12:30a', '2024-01-01 00:30:00'],
    ['M/dd/yy hh:mmaaaaa', '1/01/24 12:30P', '2024-01-01 12:30:00'],
    ['M/dd/yy hh:mmaaaaa', '1/01/24 12:30PM', 'bad'],
    ['dd MMM yyyy', '05 dEc 2020', '2020-12-05 00:00:00'],
    ['dd MMM yyyy', '05 Dez 2020', 'bad'],
    ['dd MMM yyyy', '05 De', 'bad'],
    ['yyyy D HHmm', '2003 365 2400', '2004-01-01 00:00:00'],
    ['yyyy D HHmm', '2004 366 5', '2004-12-31 00:05:00'],
    ['yyyy D HHmm', '2003 366 5', 'bad'],
    ['yyyy D HHmm', '2003 0 5', 'bad'],
    ['yyyy D HHmm', '2003 1 930', '2003-01-01 09:30:00'],
    ['yyyy D HHmm', '2003 1 960', 'bad'],
    ['yyyy D HHmm', '2003 1 00930', 'bad'],
    ['yyyy-MM-dd D', '2024-02-29 60', '2024-02-29 00:00:00'],
    ['yyyy-MM-dd D', '2024-02-29 61', 'bad'],
    ['yyyy-MM-dd D', '2024-13-45 60', 'bad'],
    ['yyyy-MM-dd D', '2023-12-31 366', 'bad'],
    ['yyyy-MM-dd[ D]', '2024-02-29', '2024-02-29 00:00:00'],
    ['yyyy MMM D', '2024 Feb 60', '2024-02-29 00:00:00'],
    ['yyyy MMM D', '2024 Mar 60', 'bad'],
    ['yyyy D d', '2024 60 29', '2024-02-29 00:00:00'],
    ['yyyy D d', '2024 60 28', 'bad'],
    ['yyyyDDDHHmm', '20030010930', '2003-01-01 09:30:00'],
    ['yyyyDDDHHmm', '2003001930', 'bad'],
    ['yyyyDHHmm', '200310930', '2003-01-01 09:30:00'],
    ["yyyy-MM-dd'T'HHmm", '2003-01-01T0930', '2003-01-01 09:30:00'],
    ["yyyy-MM-dd'T'HHmm", '2003-01-01T930', 'bad'],
    ['yyyy-MM-dd HHmm[ss]', '2003-01-01 930', 'bad'],
    ['yyyy-MM-dd HHmm[ss]', '2003-01-01 0930', '2003-01-01 09:30:00'],
    ['yyyy-MM-dd HHmm[ss]', '2003-01-01 093015', '2003-01-01 09:30:15'],
    ['yyyy-MM-dd HHmm[:ss]', '2003-01-01 930:15', '2003-01-01 09:30:15'],
    ['yyyy-MM-dd Hmm', '2003-01-01 930', '2003-01-01 09:30:00'],
    ['yyyy-MM-dd Hmm', '2003-01-01 1930', '2003-01-01 19:30:00'],
    ['yyyyMMddHHmmssSSS', '20030101093015250', '2003-01-01 09:30:15.250'],
    ['yyyy-MM-dd HH:mm:ss.S', '2003-01-01 09:30:15.123456789', '2003-01-01 09:30:15.123456'],
    ['yyyy-MM-dd HH:mm:ss.SSSSSS', '2003-01-01 09:30:15.5', '2003-01-01 09:30:15.500'],
    ['yyyy-MM-dd HH:mm:ss.S', '2003-01-01 09:30:15.1234567890', 'bad'],
    ['yyyy-MM-dd HH:mm:ss[.SSSSSS]', '2003-01-01 09:30:15', '2003-01-01 09:30:15'],
    ['yyyy-MM-dd HH:mm:ss[.SSSSSS]', '2003-01-01 09:30:15.', 'bad'],
    ['yyyy-MM-dd HH:mm[:ss][.SSSSSS]', '2003-01-01 09:30:15.5', '2003-01-01 09:30:15.500'],
    ['yyyy-MM-dd HH:mm[:ss][.SSSSSS]', '2003-01-01 09:30.5', 'bad'],
    ['yyyy-MM-dd[ HH][:mm]', '2003-01-01 09:30', '2003-01-01 09:30:00'],
    ['yyyy-MM-dd[ HH][:mm]', '2003-01-01:30', 'bad'],
    ['yyyy-MM-dd[ HH:mm]', '2003-01-01', '2003-01-01 00:00:00'],
    ['dd.MM.yyyy[ HH:mm]', '01.02.2003 09:3', 'bad'],
    ["'D:'yyMMdd'T:'HHmmss", 'D:240229T:235900', '2024-02-29 23:59:00'],
    ["yyyy 'o''clock' M d", "2024 o'clock 1 2", '2024-01-02 00:00:00'],
    ["yyyy''MM''dd", "2024'01'02", '2024-01-02 00:00:00'],
    ['yyyy年M月d日', '2024年1月2日', '2024-01-02 00:00:00'],
    ['yyyy-MM-dd HH:mmX', '2024-01-01 12:00+02', '2024-01-01 10:00:00Z'],
    ['yyyy-MM-dd HH:mmX', '2024-01-01 12:00+0230', '2024-01-01 09:30:00Z'],
    ['yyyy-MM-dd HH:mmX', '2024-01-01 12:00+02:30', 'bad'],
    ['yyyy-MM-dd HH:mmX', '2024-01-01 12:00Z', '2024-01-01 12:00:00Z'],
    ['yyyy-MM-dd HH:mmX', '2024-01-01 12:00z', 'bad'],
    ['yyyy-MM-dd HH:mmXX', '2024-01-01 12:00+02', 'bad'],
    ['yyyy-MM-dd HH:mmXX', '2024-01-01 12:00-0230', '2024-01-01 14:30:00Z'],
    ['yyyy-MM-dd HH:mmXXX', '2024-01-01 12:00-02:30', '2024-01-01 14:30:00Z'],
    ['yyyy-MM-dd HH:mmXXX', '2024-01-01 12:00-0230', 'bad'],
    ['yyyy-MM-dd HH:mmxxx', '2024-01-01 12:00Z', 'bad'],
    ['yyyy-MM-dd HH:mmxxx', '2024-01-01 12:00+24:00', 'bad'],
    ['yyyy-MM-dd HH:mmxxx', '2024-01-01 12:00+01:60', 'bad'],
    ['yyyy-MM-dd HH:mm[ xx]', '2024-01-01 12:00', '2024-01-01 12:00:00'],
  ])('%s reads %j as %s', (format, text, result) => {
    expect(read(format, text)).toBe(result);
  });

  const instant = fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs - 1 });
  test('read what is written by them, with blanks of any width or leading zeros', () => {
    const two = (value: number): string => String(value).padStart(2, '0');
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 3 }), (us, blanks) => {
        const at = new Date(Math.floor(us / 1000));
        const ms = String(at.getUTCMilliseconds()).padStart(3, '0');
        const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()];
        const [hour, minute, second] = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()];
        const gap = ' '.repeat(blanks);
        const whole = `${at.toISOString().slice(0, 10)} ${two(hour)}:${two(minute)}:${two(second)}`;
        expect(read('yyyy-MM-dd HH:mm:ss', whole)).toBe(whole);
        const long = `${day}/${month}/${year}${gap}${((hour + 11) % 12) + 1}:${two(minute)}:${second}.${ms}${gap}${hour < 12 ? 'AM' : 'pm'}`;
        expect(read('d/M/yyyy h:mm:s.SSS a', long)).toBe(`${whole}.${ms}`.replace(/\.000$/, ''));
      }),
    );
  });
});

describe('iso8601', () => {
  test.each([
    ['2025-03-01T06:40+01:00', '2025-03-01 05:40:00Z'],
    ['2025-03-01t06:40:05z', '2025-03-01 06:40:05Z'],
    ['2025-03-01 06:40:05,25-0330', '2025-03-01 10:10:05.250Z'],
    ['2025-03-01 06:40:05.1234567', '2025-03-01 06:40:05.123456'],
    ['2025-03-01T24:00', '2025-03-02 00:00:00'],
    ['2025-03-01', 'bad'],
    ['2025-03-01T06', 'bad'],
    ['2025-03-01T06:4', 'bad'],
    ['2025-03-01T06:40:', 'bad'],
    ['2025-03-01T06:40:5', 'bad'],
    ['2025-03-01T06:40:05.', 'bad'],
    ['2025-03-01T06:40+01', 'bad'],
    ['2025-03-01T06:40 +01:00', 'bad'],
    ['2025-03-01T06:40+01:00Z', 'bad'],
    ['2025-13-01T06:40', 'bad'],
    ['20250301T064000', 'bad'],
    ['', 'bad'],
  ])('reads %j as %s', (text, result) => {
    expect(read('iso8601', text)).toBe(result);
  });

  test('reads every RFC 3339 date-time as the API does', () => {
    const form = fc.tuple(
      fc.integer({ min: observationInstantMinUs, max: observationInstantEndUs }),
      fc.constantFrom('Z', '+00:00', '-07:00', '+05:30'),
    );
    fc.assert(
      fc.property(form, ([us, offset]) => {
        const text = formatInstant(us).replace('Z', offset);
        const out = { us: 0, isUtc: false, isLeap: false };
        const bytes = Buffer.from(text);
        expect(compileTimestampFormat('iso8601', 46).read(bytes, 0, bytes.length, out)).toBe(true);
        expect(out.us).toBe(parseInstant(text));
      }),
    );
  });
});

test.each([
  ['unix_s', '1735689600.020125', '2025-01-01 00:00:00.020125Z'],
  ['unix_s', '1735689600.0201259', '2025-01-01 00:00:00.020125Z'],
  ['unix_s', '+1735689600,5', '2025-01-01 00:00:00.500Z'],
  ['unix_s', '-600', '1969-12-31 23:50:00Z'],
  ['unix_s', '-0.5', '1969-12-31 23:59:59.500Z'],
  ['unix_s', '-0', '1970-01-01 00:00:00Z'],
  ['unix_s', '000000000000000000000000001', '1970-01-01 00:00:01Z'],
  ['unix_s', '1e9', 'bad'],
  ['unix_s', '1.', 'bad'],
  ['unix_s', '.5', 'bad'],
  ['unix_s', '', 'bad'],
  ['unix_s', '-', 'bad'],
  ['unix_ms', '1735689600250', '2025-01-01 00:00:00.250Z'],
  ['unix_ms', '1735689600250.125', '2025-01-01 00:00:00.250125Z'],
  ['unix_us', '1735689600250001', '2025-01-01 00:00:00.250001Z'],
  ['unix_ns', '1590335330162702714', '2020-05-24 15:48:50.162702Z'],
  ['unix_ns', '999', '1970-01-01 00:00:00Z'],
  ['excel_serial', '61', '1900-03-01 00:00:00'],
  ['excel_serial', '60.999', 'bad'],
  ['excel_serial', '44197.510416666664', '2021-01-01 12:15:00'],
  ['excel_serial', 'x', 'bad'],
])('%s reads %j as %s', (format, text, result) => {
  expect(read(format, text)).toBe(result);
});

test('the decimal mark of the file is that of serials', () => {
  expect(read('excel_serial', '44197,5', 44)).toBe('2021-01-01 12:00:00');
  expect(read('excel_serial', '44197.5', 44)).toBe('bad');
});

test('a time far outside of what is kept does not overflow', () => {
  const out = { us: 0, isUtc: false, isLeap: false };
  const bytes = Buffer.from('9'.repeat(400));
  expect(compileTimestampFormat('unix_s', 46).read(bytes, 0, bytes.length, out)).toBe(true);
  expect(out.us).toBeGreaterThan(observationInstantEndUs);
});

test('texts are read one by one', () => {
  const read = timestampReader('yyyy-MM-dd HH:mm:ss');
  expect(read('1970-01-01 00:00:01')).toBe(1_000_000);
  expect(read('1970-01-01 00:00')).toBeUndefined();
  expect(read(`1970-01-01 00:00:01${' '.repeat(2000)}`)).toBeUndefined();
});

test.each([
  ['iso8601', '2024-01-05T00:00:00Z', '2023-17-05T00:00:00Z'],
  ['iso8601', '2024-12-05T00:00:00Z', '2022-44-05T00:00:00Z'],
  ['yyyy-MM-dd', '2024-01-05', '2023-17-05'],
  ['yyyy M d', '2024 1 5', '2023 17 5'],
  ['yyyy DDD', '2024 001', '2023 999'],
])('%s: a date that does not exist is not that of the row before', (format, real, unreal) => {
  const read = timestampReader(format);
  expect(read(real)).toBeDefined();
  expect(read(unreal)).toBeUndefined();
});
