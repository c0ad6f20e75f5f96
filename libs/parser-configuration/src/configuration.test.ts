import { WeirError } from '@weir/kit/errors';
import { addIssues, Faults } from '@weir/kit/faults';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parserConfiguration } from './index.js';

/** Every fault as `path code`. */
function faultsOf(json: unknown): string[] {
  const faults = new Faults();
  const { error } = parserConfiguration.safeParse(json, { reportInput: true });
  addIssues(error?.issues ?? [], faults, '/configuration');
  try {
    faults.throwIfAny();
  } catch (thrown) {
    if (thrown instanceof WeirError) return thrown.details.map(({ path, code }) => `${path.slice(14)} ${code}`);
    throw thrown;
  }
  return [];
}

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

describe('faults', () => {
  test('are told all at once, unknown members at every depth', () => {
    const wrong = {
      timestamp_order: 'sorted',
      delimiter: ',',
      header: { present: 'yes', row_number: 0, rows: 1 },
      timestamp: {
        columns: [{}, { column_number: 0 }, { header_name: ' ' }],
        input_format: 'HH:mm',
        timezone: 'Berlin',
        zones: { EST: '-5' },
        format: 'x',
      },
      instrument: { name_source: 'column', name: 'a\nb' },
      missing_value_markers: ['\0'],
      data_layout: { layout: 'one_data_point_per_row', variable_mappings: [{ source_column: {}, name: 'h' }] },
      encoding: 'ascii',
      quote: 'single',
      comment_prefix: '',
      skip_rows_matching: ['(', '(?=x)', '(a{100}b{100}){10}'],
      comment: 'x',
    };
    expect(faultsOf(wrong).sort()).toEqual([
      '/comment unknown_field',
      '/comment_prefix invalid_text',
      '/data_layout/variable_mappings/0/name unknown_field',
      '/data_layout/variable_mappings/0/source_column required',
      '/data_layout/variable_mappings/0/variable_name required',
      '/delimiter invalid_choice',
      '/encoding invalid_choice',
      '/header/present invalid_type',
      '/header/row_number out_of_range',
      '/header/rows unknown_field',
      '/instrument/name invalid_name',
      '/missing_value_markers/0 invalid_text',
      '/quote invalid_choice',
      '/skip_rows_matching/0 invalid_pattern',
      '/skip_rows_matching/1 invalid_pattern',
      '/skip_rows_matching/2 invalid_pattern',
      '/timestamp/columns/0 required',
      '/timestamp/columns/1/column_number out_of_range',
      '/timestamp/columns/2/header_name invalid_text',
      '/timestamp/format unknown_field',
      '/timestamp/input_format invalid_input_format',
      '/timestamp/timezone invalid_timezone',
      '/timestamp/zone_column required',
      '/timestamp/zones/EST invalid_timezone',
      '/timestamp_order invalid_choice',
    ]);
  });

  const noHeader = { header: { present: false } };
  const wide = (...variable_mappings: unknown[]) => ({
    data_layout: { layout: 'one_data_point_per_row', variable_mappings },
  });
  test.each<[unknown, string[]]>([
    [{}, ['/timestamp required', '/data_layout required']],
    [[], [' invalid_type']],
    [{ ...small, timestamp: { columns: [], input_format: 'iso8601' } }, ['/timestamp/columns out_of_range']],
    [{ ...small, delimiter: 'comma', decimal_separator: 'comma' }, []],
    [{ ...small, decimal_separator: 'comma', quote: 'none' }, ['/decimal_separator conflict']],
    [{ ...small, delimiter: 'semicolon', decimal_separator: 'comma', quote: 'none' }, []],
    [{ ...small, header: { row_number: 5 }, first_data_row: 5 }, ['/first_data_row out_of_range']],
    [{ ...small, header: { matching: 'x', row_number: 1 } }, ['/header/matching conflict']],
    [{ ...small, header: { matching: '[' } }, ['/header/matching invalid_pattern']],
    [
      { ...small, ...noHeader },
      [
        '/timestamp/columns/0/header_name conflict',
        '/data_layout/variable_mappings/0/source_column/header_name conflict',
      ],
    ],
    [
      {
        ...noHeader,
        timestamp: { columns: [numbered(1)], zone_column: { header_name: 'z' }, input_format: 'iso8601' },
        instrument: { name_source: 'column', name_column: { column_number: 1, header_name: 'n' } },
        data_layout: long,
      },
      [
        '/timestamp/zone_column/header_name conflict',
        '/instrument/name_column/header_name conflict',
        '/data_layout/variable_column/header_name conflict',
        '/data_layout/value_column/header_name conflict',
      ],
    ],
    [{ ...small, timestamp: { ...small.timestamp, zones: {} } }, ['/timestamp/zone_column required']],
    [{ ...small, instrument: { name_source: 'column' } }, ['/instrument/name_column required']],
    [{ ...small, instrument: { name_source: 'fixed' } }, ['/instrument/name required']],
    [{ ...small, instrument: { name_source: 'header' } }, ['/instrument/name_source invalid_choice']],
    [{ ...small, data_layout: { layout: 'wide' } }, ['/data_layout/layout invalid_choice']],
    [{ ...small, data_layout: { ...long, variable_mappings: [] } }, ['/data_layout/variable_mappings unknown_field']],
    [
      { ...small, ...wide({ ...mapping, variable_column: numbered(1) }) },
      ['/data_layout/variable_mappings/0/variable_column unknown_field'],
    ],
    [{ ...small, ...wide() }, ['/data_layout/variable_mappings out_of_range']],
    [{ ...small, ...wide(mapping, mapping) }, ['/data_layout/variable_mappings/1/variable_name duplicate_name']],
    [{ ...small, ...wide(mapping, { ...mapping, instrument_name: 'B' }) }, []],
    [{ ...small, missing_value_markers: null }, ['/missing_value_markers invalid_type']],
    [{ ...small, first_data_row: 2.5 }, ['/first_data_row invalid_type']],
  ])('%j', (configuration, faults) => {
    expect(faultsOf(configuration)).toEqual(faults);
  });

  test('an instrument has no more variables than a point', () => {
    const named = (count: number, instrument_name?: string) =>
      Array.from({ length: count }, (_, index) => ({ ...mapping, variable_name: `v${index}`, instrument_name }));
    const withMappings = (...mappings: unknown[]) => JSON.parse(JSON.stringify({ ...small, ...wide(...mappings) }));
    expect(faultsOf(withMappings(...named(256), ...named(256, 'B')))).toEqual([]);
    expect(faultsOf(withMappings(...named(257)))).toEqual([
      '/data_layout/variable_mappings/256/variable_name out_of_range',
    ]);
  });
});

test('what was saved is the same again', () => {
  const column = fc.oneof(
    fc.record({ column_number: fc.integer({ min: 1, max: 99 }) }),
    fc.record({ header_name: fc.string({ minLength: 1 }) }),
  );
  const configuration = fc.record(
    {
      delimiter: fc.constantFrom('comma', 'tab'),
      header: fc.record({ present: fc.boolean(), row_number: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] }),
      first_data_row: fc.integer({ min: 1, max: 5 }),
      timestamp: fc.constant({ columns: [numbered(1)], input_format: 'unix_s' }),
      instrument: fc.record({ name_source: fc.constant('fixed'), name: fc.string({ unit: 'grapheme' }) }),
      missing_value_markers: fc.array(fc.string()),
      data_layout: fc.oneof(
        fc.record({ layout: fc.constant('one_value_per_row'), variable_column: column, value_column: column }),
        fc.record({
          layout: fc.constant('one_data_point_per_row'),
          variable_mappings: fc.array(fc.record({ source_column: column, variable_name: fc.string() }), {
            minLength: 1,
          }),
        }),
      ),
    },
    { requiredKeys: ['timestamp', 'data_layout'] },
  );
  fc.assert(
    fc.property(configuration, (given) => {
      const once = parserConfiguration.safeParse(given);
      fc.pre(once.success);
      expect(parserConfiguration.parse(JSON.parse(JSON.stringify(once.data)))).toStrictEqual(once.data);
    }),
  );
});
