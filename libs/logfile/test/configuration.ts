import { type ParserConfiguration, parserConfiguration } from '@weir/parser-configuration';

const base = {
  timestamp: { columns: [{ header_name: 'time' }], input_format: 'iso8601', timezone: 'UTC' },
  instrument: { name_source: 'fixed', name: 'X1' },
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: [{ source_column: { header_name: 'h' }, variable_name: 'h' }],
  },
};

/** A configuration of a file with the columns `time` and `h`, changed as given; timestamps are changed member by member. */
export function configurationOf({ timestamp, ...rest }: Record<string, unknown> = {}): ParserConfiguration {
  const changed = { ...base, ...rest, timestamp: { ...base.timestamp, ...(timestamp as object) } };
  return parserConfiguration.parse(JSON.parse(JSON.stringify(changed)));
}

/** Mappings of columns by number, named v1, v2, …, of the wide form. */
export function numbered(...columns: number[]): object {
  return {
    layout: 'one_data_point_per_row',
    variable_mappings: columns.map((column_number) => ({
      source_column: { column_number },
      variable_name: `v${column_number}`,
    })),
  };
}
