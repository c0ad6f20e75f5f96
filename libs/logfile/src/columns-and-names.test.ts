import { formatInstant } from '@weir/kit/time';
import { describe, expect, test } from 'vitest';
import { configurationOf, numbered } from '../test/configuration.js';
import { readLogfile } from '../test/read-logfile.js';
import { readWhole } from '../test/read-whole.js';
import { LogfileRefused } from './index.js';

const at = '2025-01-01T00:00Z';

function read(text: string, changes: Record<string, unknown> = {}, fileName = 'file.csv') {
  const whole = readWhole([Buffer.from(text)], configurationOf(changes), { fileName });
  return {
    ...whole,
    points: whole.points.map(({ instrumentName, variables }) => [
      instrumentName,
      ...variables.map(({ name, value }) => `${name}=${value}`),
    ]),
    errors: whole.errors.map(({ line, column, code }) => `${line}:${column} ${code}`),
  };
}

function refusal(text: string | Buffer, changes: Record<string, unknown> = {}, fileName = 'file.csv'): string {
  try {
    readWhole([Buffer.from(text)], configurationOf(changes), { fileName });
  } catch (error) {
    if (error instanceof LogfileRefused) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'read';
}
const mapped = (...columns: object[]) => ({
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: columns.map((source_column, place) => ({ source_column, variable_name: `v${place}` })),
  },
});

describe('a file is refused as a whole', () => {
  test.each<[string, Record<string, unknown>, RegExp]>([
    ['time,x\n', {}, /^column_not_found: There is no column "h" in the header\. The header reads: 1 "time", 2 "x"\./],
    ['time,h,h\n', {}, /^column_ambiguous: .*"h" more than once, at columns 2, 3; say which by column_number/],
    [
      'time,h\n',
      mapped({ header_name: 'h', column_number: 1 }),
      /^column_mismatch: Column 1 should be "h" and is "time"/,
    ],
    ['time,h\n', mapped({ column_number: 3 }), /^column_not_found: There is no column 3: the header has 2/],
    ['time,h, \n', mapped({ column_number: 3 }), /^column_not_found/],
    ['\ntime,h\n', {}, /^column_not_found: .*The line of the header is empty/],
    ['t\0i\0m\0e\0,\0h\0\n\0', {}, /^column_not_found: .*may be in UTF-16/],
    ['', {}, /^header_not_found/],
    [
      'time,h',
      { header: { row_number: 2 } },
      /^header_not_found: The header is to be line 2, and the file ends before it\./,
    ],
    ['time,h\n', { header: { matching: '^x' } }, /^header_not_found: No line is a header: "\^x"/],
    [`${','.repeat(20_000)}\n`, {}, /^too_many_columns/],
    ['<?xml version="1.0"?>', {}, /^not_delimited_text: The file is an XML/],
    ['\ufeff\n <html><body>', {}, /^not_delimited_text/],
    ['<Body_xle>\r\n <File_info>', {}, /^not_delimited_text/],
    ['PK\x03\x04rest', {}, /^not_delimited_text: The file is a ZIP/],
  ])('%j', (text, changes, message) => {
    expect(refusal(text, changes)).toMatch(message);
  });

  test('but not for what only looks like markup', () => {
    const columns = { timestamp: { columns: [{ header_name: '<time>' }] }, ...mapped({ header_name: '<h>' }) };
    expect(refusal(`<time>,<h>\n${at},1\n`, columns)).toBe('read');
  });

  test('when its name is to be the instrument and cannot be', () => {
    expect(refusal('time,h\n', { instrument: {} }, ' .csv')).toMatch(/^instrument_invalid/);
    expect(refusal('time,h\n', { instrument: {} }, 'x'.repeat(257))).toMatch(/has 1 to 256 characters without/);
    expect(refusal('time,h\n', { instrument: {} }, 'x'.repeat(300))).toMatch(/^instrument_invalid/);
  });

  test('GZIP bytes', () => {
    expect(refusal(Buffer.from([0x1f, 0x8b, 8, 0]))).toMatch(/^not_delimited_text: The file is a GZIP/);
  });
});

describe('columns', () => {
  test('by number and name, with quotes and trimmed', () => {
    const { points, errors } = read(
      `time," h",h\n${at},1,2\n`,
      mapped({ header_name: 'h', column_number: 3 }, { column_number: 2 }),
    );
    expect([points, errors]).toEqual([[['X1', 'v0=2', 'v1=1']], []]);
  });

  test('are told as they are', () => {
    const reader = readWhole([Buffer.from(`time,,h,\n${at},1,2\n`)], configurationOf());
    expect(reader.columns).toEqual([
      { columnNumber: 1, headerName: 'time' },
      { columnNumber: 2, headerName: null },
      { columnNumber: 3, headerName: 'h' },
    ]);
    const bare = {
      header: { present: false },
      timestamp: { columns: [{ column_number: 1 }] },
      data_layout: numbered(2),
    };
    expect(readWhole([Buffer.from(`\n${at},1,2\n${at}\n`)], configurationOf(bare)).columns).toHaveLength(3);
  });

  test('far to the right, and beyond what can be mapped', () => {
    const row = (commas: number) => `${at}${','.repeat(commas)}7${',x'.repeat(10)}\n`;
    const bare = {
      header: { present: false },
      timestamp: { columns: [{ column_number: 1 }] },
      data_layout: numbered(16_384),
    };
    expect(read(row(16_383), bare).points).toEqual([['X1', 'v16384=7']]);
    expect(read(row(16_384), bare)).toMatchObject({ points: [], errors: [] });
    expect(read(`time,h\n${row(16_384)}`).errors).toEqual(['2:null too_many_cells']);
  });
});

describe('names', () => {
  test.each([
    ['A.B.csv', 'A.B'],
    ['/var/x/A.csv', 'A'],
    ['C:\\x\\A.csv', 'A'],
    ['A', 'A'],
    ['.csv', '.csv'],
    ['Mu\u0308hle.csv', 'M\u00fchle'],
  ])('%s is %s', (fileName, name) => {
    expect(read(`time,h\n${at},1\n`, { instrument: {} }, fileName).points).toEqual([[name, 'h=1']]);
  });

  const byColumn = { name_source: 'column', name_column: { header_name: 'i' } };
  test('in a column', () => {
    const text = `time,h,i\n${at},1, Mu\u0308hle \n${at},2,Mühle\n${at},3,\n${at},4,${'x'.repeat(257)}\n${at},5,7\n`;
    const { points, errors } = read(text, { instrument: byColumn });
    expect(points).toEqual([
      ['Mühle', 'h=1'],
      ['Mühle', 'h=2'],
      ['7', 'h=5'],
    ]);
    expect(errors).toEqual(['4:3 instrument_missing', '5:3 instrument_invalid']);
  });

  test('before those of variables', () => {
    const prefixed = { instrument: { ...byColumn, prefix_variable_names: true } };
    const { points, errors, missing } = read(
      `time,h,i\n${at},1,A\n${at},2,B\n${at},,B\n${at},4,${'x'.repeat(255)}\n`,
      prefixed,
    );
    expect(points).toEqual([
      ['A', 'A h=1'],
      ['B', 'B h=2'],
    ]);
    expect([errors, missing]).toEqual([['5:2 variable_invalid'], [{ line: 4, variable: 'B h' }]]);
  });

  test('of the instruments that columns belong to: a point for each', () => {
    const changes = {
      instrument: byColumn,
      data_layout: {
        layout: 'one_data_point_per_row',
        variable_mappings: [
          { source_column: { header_name: 'a' }, variable_name: 't', instrument_name: 'A' },
          { source_column: { header_name: 'h' }, variable_name: 'h' },
          { source_column: { header_name: 'b' }, variable_name: 't', instrument_name: 'B' },
          { source_column: { header_name: 'c' }, variable_name: 'u', instrument_name: 'A' },
        ],
      },
    };
    const text = `time,h,i,a,b,c\n${at},1,X,2,3,4\n${at},5,X,,6,\n${at},7,X,x,8,9\n`;
    const { points, errors, counts } = read(text, changes);
    expect(points).toEqual([
      ['A', 't=2', 'u=4'],
      ['X', 'h=1'],
      ['B', 't=3'],
      ['X', 'h=5'],
      ['B', 't=6'],
    ]);
    expect(errors).toEqual(['4:4 not_a_number']);
    expect(counts).toEqual({ rows: 3, points: 5, errors: 1, missing: 2, skipped: 0 });
  });

  test('in the long form', () => {
    const long = {
      data_layout: {
        layout: 'one_value_per_row',
        variable_column: { header_name: 'v' },
        value_column: { header_name: 'h' },
        value_type: 'integer',
      },
      missing_value_markers: ['NA'],
    };
    const text = `time,v,h\n${at}," a ",1\n${at},A,2\n${at},,3\n${at},b,NA\n${at},b,1.5\n${at},${'y'.repeat(300)},1\n`;
    const { points, errors, missing } = read(text, long);
    expect(points).toEqual([
      ['X1', 'a=1'],
      ['X1', 'A=2'],
    ]);
    expect(errors).toEqual(['4:2 variable_missing', '6:3 not_an_integer', '7:2 variable_invalid']);
    expect(missing).toEqual([{ line: 5, variable: 'b' }]);
  });
});

describe('zones', () => {
  const local = { input_format: 'yyyy-MM-dd HH:mm', timezone: undefined };
  const utc = (text: string, timestamp: Record<string, unknown>) => {
    const { points, errors } = readWhole(
      [Buffer.from(`time,h,z\n${text}\n`)],
      configurationOf({ timestamp: { ...local, ...timestamp } }),
      { zone: 'Asia/Kathmandu' },
    );
    return points.length === 1
      ? formatInstant(points[0]?.atUs ?? 0).slice(0, 16)
      : errors.map(({ column, code }) => `${column} ${code}`).join();
  };
  const byOffset = { zone_column: { header_name: 'z' } };
  const byName = { ...byOffset, zones: { EDT: '-04:00', NY: 'America/New_York' } };

  test.each<[string, Record<string, unknown>, string]>([
    ['', {}, '2025-06-30T18:15'],
    ['', { timezone: '+01:00' }, '2025-06-30T23:00'],
    ['-300', byOffset, '2025-07-01T05:00'],
    ['+90', { ...byOffset, timezone: '+01:00' }, '2025-06-30T22:30'],
    ['-05:30', byOffset, '2025-07-01T05:30'],
    ['0', byOffset, '2025-07-01T00:00'],
    ['', { ...byOffset, timezone: '+01:00' }, '2025-06-30T23:00'],
    ['', byOffset, '2025-06-30T18:15'],
    ['0100', byOffset, '3 bad_zone'],
    ['+2000', byOffset, '3 bad_zone'],
    ['EDT', byOffset, '3 bad_zone'],
    ['EDT', byName, '2025-07-01T04:00'],
    ['NY', byName, '2025-07-01T04:00'],
    ['EST', byName, '3 bad_zone'],
    ['constructor', byName, '3 bad_zone'],
  ])('the cell %j with %j', (cell, timestamp, result) => {
    expect(utc(`2025-07-01 00:00,1,${cell}`, timestamp)).toBe(result);
  });

  test('an offset in the text is stronger', () => {
    expect(utc('2025-07-01T00:00+02:00,1,EDT', { ...byName, input_format: 'iso8601' })).toBe('2025-06-30T22:00');
  });

  test('years outside of 1700 to 2249 are errors', () => {
    for (const year of ['1699', '2250', '9999', '0000']) {
      expect(utc(`${year}-07-01 00:00,1,`, { timezone: 'Europe/Berlin' })).toBe('1 timestamp_out_of_range');
    }
    expect(utc('2250-01-01 00:30,1,', { timezone: '+01:00' })).toBe('2249-12-31T23:30');
    expect(utc('2249-12-31 23:30,1,', { timezone: '-01:00' })).toBe('1 timestamp_out_of_range');
  });

  test('a leap second is one where UTC reads 23:59', () => {
    const withSeconds = { input_format: 'yyyy-MM-dd HH:mm:ss', timezone: '+01:00' };
    expect(utc('2017-01-01 00:59:60,1,', withSeconds)).toBe('2017-01-01T00:00');
    expect(utc('2016-12-31 23:59:60,1,', withSeconds)).toBe('1 bad_timestamp');
  });

  test('of instruments are asked for once each, and only where they are needed', async () => {
    const asked: string[] = [];
    const options = {
      configuration: configurationOf({
        timestamp: { ...local, input_format: 'iso8601' },
        instrument: { name_source: 'column', name_column: { header_name: 'i' } },
      }),
      fileName: 'file.csv',
    };
    const zoneOf = async (name: string) => {
      asked.push(name);
      return await Promise.resolve(name === 'A' ? 'Europe/Berlin' : undefined);
    };
    const text = 'time,h,i\n2025-07-01T00:00,1,A\n2025-07-01T00:00,1,B\n2025-07-01T00:00Z,1,C\n2025-07-01T00:00,1,A\n';
    const instants: string[] = [];
    for await (const batch of readLogfile(Buffer.from(text), options, zoneOf)) {
      for (const us of batch.points.atUs) instants.push(formatInstant(us).slice(0, 16));
      expect(batch.isLast).toBe(true);
    }
    expect(asked).toEqual(['A', 'B']);
    expect(instants).toEqual(['2025-06-30T22:00', '2025-07-01T00:00', '2025-07-01T00:00', '2025-06-30T22:00']);
  });
});
