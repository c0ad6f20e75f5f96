import { describe, expect, test } from 'vitest';
import { parserConfiguration } from './index.js';

const numbered = (column_number: number) => ({ column_number });
const mapping = { source_column: { header_name: 'h' }, variable_name: 'h' };
const small = {
  timestamp: { columns: [{ header_name: 'time' }], input_format: 'iso8601' },
  data_layout: { layout: 'one_data_point_per_row', variable_mappings: [mapping] },
};
const long = {
  layout: 'one_value_per_row',
  variable_column: { header_name: 'parameter' },
  value_column: { header_name: 'value' },
};

describe('defaults', () => {
  test('are filled in', () => {
    expect(parserConfiguration.parse(small)).toStrictEqual({
      timestamp_order: 'oldest_first',
      delimiter: 'comma',
      decimal_separator: 'dot',
      header: { present: true, row_number: 1 },
      first_data_row: 2,
      timestamp: {
        columns: [{ header_name: 'time' }],
        join_with: ' ',
        input_format: 'iso8601',
        ambiguous: 'file_order',
        nonexistent: 'reject',
      },
      instrument: { name_source: 'base_name', prefix_variable_names: false },
      missing_value_markers: [],
      data_layout: {
        layout: 'one_data_point_per_row',
        variable_mappings: [{ source_column: { header_name: 'h' }, variable_name: 'h', value_type: 'decimal' }],
      },
      encoding: 'utf-8',
      quote: 'double',
      skip_rows_matching: [],
    });
    expect(parserConfiguration.parse({ ...small, data_layout: long }).data_layout).toMatchObject({
      value_type: 'decimal',
    });
  });

  test.each([
    [{ header: { row_number: 4 } }, { present: true, row_number: 4 }, 5],
    [{ header: { row_number: 4 }, first_data_row: 7 }, { present: true, row_number: 4 }, 7],
    [{ header: { matching: '^time,' } }, { present: true, matching: '^time,' }, undefined],
    [{ header: { matching: '^time,' }, first_data_row: 3 }, { present: true, matching: '^time,' }, 3],
  ])('of the first row of data follow %j', (given, header, first) => {
    const parsed = parserConfiguration.parse({ ...small, ...given });
    expect(parsed.header).toEqual(header);
    expect(parsed.first_data_row).toBe(first);
  });

  test('of a file without a header', () => {
    const parsed = parserConfiguration.parse({
      header: { present: false },
      timestamp: { columns: [numbered(1)], input_format: 'iso8601' },
      data_layout: { layout: 'one_value_per_row', variable_column: numbered(2), value_column: numbered(3) },
    });
    expect(parsed).toMatchObject({ header: { present: false }, first_data_row: 1 });
  });
});

test('a configuration with its usual members is taken whole', () => {
  const column = { header_name: 'Time', column_number: 1 };
  const configuration = {
    timestamp_order: 'oldest_first',
    delimiter: 'comma',
    decimal_separator: 'dot',
    header: { present: true, row_number: 1 },
    first_data_row: 2,
    timestamp: { columns: [column], join_with: ' ', input_format: 'yyyy-MM-dd HH:mm:ss' },
    instrument: { name_source: 'base_name', name_column: column, prefix_variable_names: false },
    missing_value_markers: ['NaN', ''],
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [{ source_column: column, variable_name: 'h', value_type: 'decimal' }],
    },
  };
  expect(parserConfiguration.parse(configuration)).toMatchObject(configuration);
});

test('names are normalized, and what cells are compared with is trimmed', () => {
  const parsed = parserConfiguration.parse({
    ...small,
    timestamp: { columns: [{ header_name: ' time\t' }], input_format: 'iso8601' },
    instrument: { name_source: 'fixed', name: ' Cafe\u0301' },
    missing_value_markers: [' --- '],
  });
  expect(parsed).toMatchObject({
    timestamp: { columns: [{ header_name: 'time' }] },
    instrument: { name: 'Café' },
    missing_value_markers: ['---'],
  });
});

test('everything that may be said is taken', () => {
  const everything = {
    timestamp_order: 'unordered',
    delimiter: 'whitespace',
    decimal_separator: 'comma',
    header: { present: true, matching: '(?i)^date' },
    first_data_row: 1,
    timestamp: {
      columns: [numbered(1), { column_number: 2, header_name: 'Time' }],
      join_with: '',
      input_format: 'yyyy D HHmm',
      timezone: '-03:30',
      zone_column: numbered(3),
      zones: { EST: '-05:00', CET: 'Europe/Berlin' },
      ambiguous: 'later',
      nonexistent: 'shift_forward',
    },
    instrument: { name_source: 'column', name_column: numbered(4), prefix_variable_names: true },
    missing_value_markers: ['-9999'],
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [
        {
          source_column: numbered(5),
          variable_name: 'h',
          value_type: 'boolean',
          missing_value_markers: ['x'],
          instrument_name: 'Other',
        },
        { source_column: numbered(6), variable_name: 'h', value_type: 'integer' },
      ],
    },
    encoding: 'utf-16be',
    quote: 'none',
    comment_prefix: '#',
    skip_rows_matching: ['^"TOA5",', '\\bEND\\b'],
  };
  expect(parserConfiguration.parse(everything)).toEqual(everything);
});
