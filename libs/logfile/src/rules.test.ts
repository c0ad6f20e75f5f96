import { describe, expect, test } from 'vitest';
import { configurationOf, numbered } from '../test/configuration.js';
import { day, read } from '../test/read-text.js';
import { readWhole } from '../test/read-whole.js';

describe('lines and cells', () => {
  test('a line ends with CR LF, LF or CR; blank ones count', () => {
    const { points, counts } = read(`time,h\r\n${day(1)},1\r${day(2)},2\n\n \r\n,,\r${day(3)},3`);
    expect(points).toEqual([`2 ${day(1)} 1`, `3 ${day(2)} 2`, `7 ${day(3)} 3`]);
    expect(counts).toEqual({ rows: 3, points: 3, errors: 0, missing: 0, skipped: 3 });
  });

  test.each<[string, string[], string[]]>([
    ['"1"', ['2 1'], []],
    ['  " 1 "  ', ['2 1'], []],
    ['"1" ', ['2 1'], []],
    ['"1"0', ['2 10'], []],
    ['""1""', [], ['2:2 not_a_number']],
    ['"1""', [], ['2 unclosed_quote']],
    ['1"', [], ['2:2 not_a_number']],
    ['"', [], ['2 unclosed_quote']],
    ['""', [], []],
    ['\u00a01\u2003', ['2 1'], []],
    ['"\u00a01\u2003"', ['2 1'], []],
    ['1,', ['2 1'], []],
    ['1, ,""', ['2 1'], []],
    ['1,,x', [], ['2:4 too_many_cells']],
    ['1\0', [], ['2 nul_in_row']],
  ])('the cell %j', (cell, points, errors) => {
    const result = read(`time,h\n${day(1)},${cell}\n${day(2)},2\n`);
    expect(result.points).toEqual([...points.map((point) => point.replace(' ', ` ${day(1)} `)), `3 ${day(2)} 2`]);
    expect(result.errors).toEqual(errors);
  });

  test('a quoted cell runs over at most ten lines; else its line alone is an error', () => {
    const lines = (count: number) => Array.from({ length: count }, () => 'x').join('\n');
    const file = (count: number) => `time,h,text\n${day(1)},1,"${lines(count)}"\n${day(2)},2,\n`;
    expect(read(file(10))).toMatchObject({ points: [`2 ${day(1)} 1`, `12 ${day(2)} 2`], errors: [] });
    expect(read(file(11)).points).toEqual([`13 ${day(2)} 2`]);
    expect(read(file(11)).errors).toEqual([
      '2 unclosed_quote',
      ...Array.from({ length: 10 }, (_, at) => `${at + 3}:1 bad_timestamp`),
    ]);
  });

  test('whitespace delimits at any run of blanks and tabs', () => {
    const { points } = read('  time \t h\n  2025-01-01T00:00Z   1 \t\n\t2025-01-02T00:00Z\t"2"\n', {
      delimiter: 'whitespace',
    });
    expect(points).toEqual([`2 ${day(1)} 1`, `3 ${day(2)} 2`]);
  });

  test('short rows have missing cells; where the file breaks off they are an error', () => {
    const result = read(`time,h,t\n${day(1)}\n${day(2)},2\n${day(3)},3`);
    expect(result).toMatchObject({
      points: [`3 ${day(2)} 2`],
      errors: ['4 truncated_row'],
      missing: [{ line: 2, variable: 'h' }],
    });
    const bare = {
      header: { present: false },
      timestamp: { columns: [{ column_number: 1 }] },
      data_layout: numbered(3),
    };
    expect(read(`${day(1)},1,2,3,4\n${day(2)},1,2`, bare).points).toEqual([`1 ${day(1)} 2`, `2 ${day(2)} 2`]);
    expect(read(`${day(1)},1\n${day(2)},1`, bare).errors).toEqual(['2 truncated_row']);
  });

  test('empty cells at the end of the header are no columns', () => {
    const { errors, points } = read(`time,h, ,""\n${day(1)},1,,\n${day(2)},2,x\n`);
    expect(points).toEqual([`2 ${day(1)} 1`]);
    expect(errors).toEqual(['3:3 too_many_cells']);
  });

  test('a line that is too long is an error of its own, wherever the file is', () => {
    const long = 'x'.repeat(1_100_000);
    const { points, errors } = read(`${long}\ntime,h\n${day(1)},1\n${long}\n${day(2)},2\n"${long}`, {
      header: { row_number: 2 },
    });
    expect(points).toEqual([`3 ${day(1)} 1`, `5 ${day(2)} 2`]);
    expect(errors).toEqual(['4 line_too_long', '6 line_too_long']);
  });

  test('rows keep what they are in errors, cut, with NULs to be seen', () => {
    const { errors } = readWhole([Buffer.from(`time,h\n${day(1)},${'ä'.repeat(300)}\n\0\n`)], configurationOf());
    expect(errors[0]).toMatchObject({ columnName: 'h', raw: `${day(1)},${'ä'.repeat(300)}`.slice(0, 200) });
    expect(errors[1]).toMatchObject({ columnName: null, raw: '␀' });
  });
});

describe('encodings', () => {
  const file = `\ufefftime,Füll\n${day(1)},1\n`;
  const mapping = {
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [{ source_column: { header_name: 'Füll' }, variable_name: 'h', missing_value_markers: ['ü'] }],
    },
  };

  test.each([
    ['utf-8', Buffer.from(file)],
    ['windows-1252', Buffer.from(file)],
    ['utf-8', Buffer.from(file, 'utf16le')],
    ['utf-16be', Buffer.from(file, 'utf16le').swap16()],
    ['utf-16le', Buffer.from(file.slice(1), 'utf16le')],
    ['windows-1252', Buffer.from(file.slice(1), 'latin1')],
    ['iso-8859-1', Buffer.from(file.slice(1), 'latin1')],
  ])('%s %#', (encoding, bytes) => {
    expect(read(bytes, { encoding, ...mapping }).points).toEqual([`2 ${day(1)} 1`]);
  });

  test('markers compare as text', () => {
    const bytes = Buffer.from(`time,Füll\n${day(1)},ü\n`, 'latin1');
    expect(read(bytes, { encoding: 'iso-8859-1', ...mapping })).toMatchObject({ errors: [], missing: [{ line: 2 }] });
  });

  test('bytes that are not valid make their row an error', () => {
    const bytes = Buffer.concat([
      Buffer.from(`time,h,t\n${day(1)},1,`),
      Buffer.from([0x81]),
      Buffer.from(`\n${day(2)},2,ä\n`),
    ]);
    expect(read(bytes)).toMatchObject({ errors: ['2 invalid_encoding'], points: [`3 ${day(2)} 2`] });
    expect(read(bytes, { encoding: 'windows-1252' }).errors).toEqual(['2 invalid_encoding']);
    expect(read(bytes, { encoding: 'iso-8859-1' }).errors).toEqual([]);
    const lone = Buffer.from(`\ufefftime,h\n${day(1)},1\ud800\n${day(2)},2\udc00\n${day(3)},3\n`, 'utf16le');
    expect(read(Buffer.concat([lone, Buffer.from([65])])).errors).toEqual([
      '2 invalid_encoding',
      '3 invalid_encoding',
      '5 invalid_encoding',
    ]);
  });

  test('a byte order mark within a file that was put together belongs to no cell', () => {
    const { points, counts } = read(`${file}${file.replace(day(1), day(2))}`, mapping);
    expect([points, counts.skipped]).toEqual([[`2 ${day(1)} 1`, `4 ${day(2)} 1`], 1]);
  });
});

describe('values', () => {
  const typed = (value_type: string) => ({
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [{ source_column: { header_name: 'h' }, variable_name: 'h', value_type }],
    },
  });
  test.each([
    ['integer', '5.0', 5],
    ['integer', '1e3', 1000],
    ['integer', '150e-1', 15],
    ['integer', '9007199254740993', 9007199254740992],
    ['integer', '1.50', 'not_an_integer'],
    ['integer', '4503599627370497.5', 'not_an_integer'],
    ['integer', '1e-400', 'not_an_integer'],
    ['integer', '0.000000000000000000', 0],
    ['integer', '15e-2', 'not_an_integer'],
    ['boolean', 'TRUE', 1],
    ['boolean', 'false', 0],
    ['boolean', '1', 1],
    ['boolean', '1.0', 'not_a_boolean'],
    ['boolean', 'yes', 'not_a_boolean'],
    ['decimal', '-0', 0],
    ['decimal', '٣', 'not_a_number'],
    ['decimal', '1e400', 'number_out_of_range'],
    ['decimal', '1 000', 'not_a_number'],
    ['decimal', '+', 'not_a_number'],
    ['decimal', '.', 'not_a_number'],
    ['decimal', '1e', 'not_a_number'],
    ['decimal', '--1', 'not_a_number'],
    ['decimal', '1.2.3', 'not_a_number'],
  ])('%s %s', (type, cell, result) => {
    const { points, errors } = read(`time,h\n${day(1)},${cell}\n`, typed(type));
    expect([points, errors]).toEqual(
      typeof result === 'number' ? [[`2 ${day(1)} ${result}`], []] : [[], [`2:2 ${result}`]],
    );
  });

  test('true and false may be markers, and are compared as text as all are', () => {
    const text = `time,h\n${day(1)},false\n${day(2)},0\n${day(3)},FALSE\n${day(4)},true\n${day(5)},1\n`;
    const { points, missing } = read(text, { ...typed('boolean'), missing_value_markers: ['false', 'true', '1'] });
    expect(points).toEqual([`3 ${day(2)} 0`, `4 ${day(3)} 0`]);
    expect(missing.map(({ line }) => line)).toEqual([2, 5, 6]);
  });

  test('a decimal comma takes the place of the point', () => {
    const text = `time;h\n${day(1)};"41,7"\n${day(2)};1.5\n${day(3)};1e-3\n`;
    const comma = read(text, { delimiter: 'semicolon', decimal_separator: 'comma' });
    expect([comma.points, comma.errors]).toEqual([[`2 ${day(1)} 41.7`, `4 ${day(3)} 0.001`], ['3:2 not_a_number']]);
    expect(read(text, { delimiter: 'semicolon' }).errors).toEqual(['2:2 not_a_number']);
  });

  test('markers of a mapping add to those of the file', () => {
    const changes = {
      missing_value_markers: ['-9999', '***'],
      data_layout: {
        layout: 'one_data_point_per_row',
        variable_mappings: [{ source_column: { header_name: 'h' }, variable_name: 'h', missing_value_markers: ['7'] }],
      },
    };
    const { points, missing } = read(`time,h\n${day(1)},-9999\n${day(2)},7\n${day(3)},7.0\n${day(4)},***\n`, changes);
    expect(points).toEqual([`4 ${day(3)} 7`]);
    expect(missing.map(({ line }) => line)).toEqual([2, 3, 5]);
  });
});
