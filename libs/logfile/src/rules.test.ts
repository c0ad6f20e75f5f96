import { formatInstant } from '@weir/kit/time';
import { describe, expect, test } from 'vitest';
import { configurationOf, numbered } from '../test/configuration.js';
import { readLogfile } from '../test/read-logfile.js';
import { inChunks, readWhole } from '../test/read-whole.js';

/** Points as `line instant value…`, errors as `line:column code`. */
function read(text: string | Uint8Array, changes: Record<string, unknown> = {}, zone?: string) {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const whole = readWhole([bytes], configurationOf(changes), { ...(zone && { zone }) });
  return {
    ...whole,
    points: whole.points.map(({ line, atUs, variables }) =>
      [line, formatInstant(atUs).replace(/(:00)?\.000Z/, 'Z'), ...variables.map(({ value }) => value)].join(' '),
    ),
    errors: whole.errors.map(({ line, column, code }) => `${line}${column === null ? '' : `:${column}`} ${code}`),
  };
}
const day = (d: number) => `2025-01-0${d}T00:00Z`;

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

  test('comments and filtered lines are skipped, raw and from the first row of data on', () => {
    const text = `#c\ntime,h\n#${day(1)},1\n${day(1)},1 \n${day(2)},"2"\n${day(3)},3;\n # not a comment\n`;
    const { points, errors, counts } = read(text, {
      header: { row_number: 2 },
      comment_prefix: '#',
      skip_rows_matching: ['"2"$', '3;'],
    });
    expect(points).toEqual([`4 ${day(1)} 1`]);
    expect(errors).toEqual(['7:1 bad_timestamp']);
    expect(counts.skipped).toBe(3);
  });

  test('a slow expression gives way to others, and does not take longer with longer lines', async () => {
    const configuration = configurationOf({ skip_rows_matching: ['(a?){300}a{300}z'] });
    const slow = `z${'a'.repeat(100_000)}`;
    const bytes = Buffer.from(`time,h,t\n${`${day(1)},1,${slow}\n`.repeat(12)}`);
    let turns = 0;
    let isReading = true;
    const others = (async () => {
      for (; isReading; turns++) await new Promise((resolve) => setImmediate(resolve));
    })();
    const counts = [];
    for await (const batch of readLogfile(bytes, { configuration, fileName: 'x' })) counts.push(batch.counts);
    isReading = false;
    await others;
    expect(counts.at(-1)).toMatchObject({ points: 12, errors: 0, skipped: 0 });
    expect(turns).toBeGreaterThanOrEqual(2);
  }, 20_000);

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

  test('a header block that appears again is skipped, one of several lines too', () => {
    const head = '"a\nb",x\ntime,h\nunit,"u\nv"\n';
    const { points, counts, errors } = read(`${head}${day(1)},1\n${head}${day(2)},2\n`, {
      header: { row_number: 3 },
      first_data_row: 6,
    });
    expect(points).toEqual([`6 ${day(1)} 1`, `12 ${day(2)} 2`]);
    expect([errors, counts.skipped]).toEqual([[], 5]);
  });

  test.each([
    ['many lines', Array.from({ length: 1500 }, (_, at) => `line ${at}`)],
    ['long lines', Array.from({ length: 70 }, (_, at) => `${at}${'x'.repeat(1000)}`)],
    ['one line again and again', Array.from({ length: 5000 }, () => 'x'.repeat(1000))],
    ['a line that is very long', ['x'.repeat(1_000_000)]],
  ])('a header is recognized when it appears again after %s', (_, preamble) => {
    const columns = Array.from({ length: 9000 }, (__, at) => `column ${at}`).join();
    const header = `time,h,${columns}`;
    const text = [...preamble, header, `${day(1)},1`, header, `${day(2)},2`].join('\n');
    const { points, errors, counts } = read(`${text}\n`, { header: { matching: '^time' } });
    expect([points.length, errors, counts.skipped]).toEqual([2, [], 1]);
  });

  test('the lines closest to the data are those that are recognized', () => {
    const before = Array.from({ length: 2000 }, (_, at) => `line ${at}`);
    const text = [...before, 'time,h', before[1500], before[999], before[1001], `${day(1)},1`].join('\n');
    const { errors, counts } = read(`${text}\n`, { header: { row_number: 2001 } });
    expect([errors, counts.skipped]).toEqual([['2003:1 bad_timestamp'], 2]);
  });

  test('a header of several lines comes before the data, whatever its first line is', () => {
    const { points } = read(`time,h,"a\nb"\n${day(1)},1,\n`);
    expect(points).toEqual([`3 ${day(1)} 1`]);
  });

  test('lines before the header are not parsed for quotes, and neither is a header that does not close its own', () => {
    expect(read(`"title\ntime,h,"x\n${day(1)},1\n`, { header: { row_number: 2 } }).points).toEqual([`3 ${day(1)} 1`]);
  });

  test('a header may be found by its content', () => {
    const { points } = read(`a\nb\n#Time:\ntime,h\n${day(1)},1\n`, { header: { matching: '^t[ij]me,' } });
    expect(points).toEqual([`5 ${day(1)} 1`]);
  });

  test('a line that is too long is an error of its own, wherever the file is', () => {
    const long = 'x'.repeat(1_100_000);
    const { points, errors } = read(`${long}\ntime,h\n${day(1)},1\n${long}\n${day(2)},2\n"${long}`, {
      header: { row_number: 2 },
    });
    expect(points).toEqual([`3 ${day(1)} 1`, `5 ${day(2)} 2`]);
    expect(errors).toEqual(['4 line_too_long', '6 line_too_long']);
  });

  test.each([1_100_000, 2_200_000, 5_000_000])('one of %i bytes before the data takes no other with it', (length) => {
    const long = 'x'.repeat(length);
    const pieces = (text: string, size: number, changes: object) =>
      readWhole(inChunks(Buffer.from(text), size), configurationOf({ ...changes })).points.map(({ line }) => line);
    const afterHeader = `time,h\n${long}\r\n${day(1)},1\n${day(2)},2\n`;
    const beforeHeader = `${long}\ntime,h\n${day(1)},1\n${day(2)},2\n`;
    for (const size of [65_536, 1_500_000, 6_000_000]) {
      expect(pieces(afterHeader, size, { first_data_row: 3 })).toEqual([3, 4]);
      expect(pieces(beforeHeader, size, { header: { row_number: 2 } })).toEqual([3, 4]);
      expect(pieces(beforeHeader, size, { header: { matching: '^time' } })).toEqual([3, 4]);
    }
    expect(() => pieces(`time,h\n${long}`, 65_536, { header: { row_number: 4 } })).toThrow('the file has 2.');
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
