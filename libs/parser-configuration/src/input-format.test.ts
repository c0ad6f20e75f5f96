import { describe, expect, test } from 'vitest';
import { inputFormat } from './input-format.js';

const faultOf = (format: string) => inputFormat.safeParse(format).error?.issues[0]?.message;

describe('inputFormat', () => {
  test.each([
    'iso8601',
    'unix_s',
    'unix_ms',
    'unix_us',
    'unix_ns',
    'excel_serial',
    'yyyy-MM-dd HH:mm:ss',
    'yyyy-MM-dd HH:mm:ss.SSS',
    'yyyy-MM-dd HH:mm[:ss][.SSSSSS]',
    'yyyy-MM-dd HH:mm:ss[.SSSSSS]',
    "yyyy-MM-dd'T'HH:mm:ssXXX",
    "'D:'yyMMdd'T:'HHmmss",
    "yyyy 'o''clock' M d H",
    'yyyy D HHmm',
    'yyyyDDD',
    'M/d/yyyy h:mm a',
    'M/dd/yy hh:mmaaaaa',
    'yyyy-MM-dd[ h:mm a]',
    'yyyy-MM-dd a[ h:mm]',
    'yyyy-MM-dd D HH:mm',
    'dd MMM yyyy HH:mm xx',
    'yyyyMMdd H',
    'yyyy-MM-dd',
    'dd.MM.yyyy[ HH:mm]',
    'yyyy/MM/dd HH:mm:ss 年',
  ])('takes %j', (format) => {
    expect(faultOf(format)).toBeUndefined();
  });

  test.each([
    ['', 'Give 1 to 128 characters'],
    ['HH:mm:ss', 'it lacks the year, the month, the day'],
    ['MM-dd HH:mm', 'it lacks the year'],
    ['yyyy-MM HH:mm', 'it lacks the day'],
    ['D HH:mm', 'it lacks the year'],
    ['[yyyy-]MM-dd HH:mm', 'it lacks the year'],
    ['yyyy-MM-dd mm', 'has the minute and lacks the hour'],
    ['yyyy-MM-dd HH:ss', 'has the second and lacks the minute'],
    ['yyyy-MM-dd HH:mm.S', 'has the fraction and lacks the second'],
    ['yyyy-MM-dd[ HH]:mm', 'has the minute and lacks the hour'],
    ['yyyy-MM-dd hh:mm', 'needs a'],
    ['M/d/yyyy h:mm[ a]', 'needs a'],
    ['yyyy-MM-dd[ h:mm][ a]', 'needs a'],
    ['yyyy-MM-dd HH:MM', 'The month stands in it twice'],
    ['YYYY-MM-DD HH:mm', 'YYYY means nothing'],
    ['yyyy-MM-dd HH:mm z', 'z means nothing'],
    ['yyyy-MMMM-dd', 'MMMM means nothing'],
    ['yyy-MM-dd', 'yyy means nothing'],
    ['yyyy-MM-ddTHH:mm', 'T means nothing'],
    ["yyyy-MM-dd'T HH:mm", 'An apostrophe is not closed'],
    ['yyyy-MM-dd[ HH:mm', 'A bracket is not closed'],
    ['yyyy-MM-dd HH:mm]', 'Brackets stand in pairs'],
    ['yyyy-MM-dd[ HH[:mm]]', 'Brackets stand in pairs'],
    ['ISO8601', 'I means nothing'],
    ['doy_fraction', 'means nothing'],
    ['yyyy-MM-dd\0', 'Give 1 to 128 characters'],
    [`yyyy-MM-dd ${'-'.repeat(128)}`, 'Give 1 to 128 characters'],
  ])('refuses %j', (format, fault) => {
    expect(faultOf(format)).toContain(fault);
  });
});
