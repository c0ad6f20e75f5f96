import type { z } from 'zod';
import type { ColumnReference } from './column-reference.js';
import type { Members } from './members.js';

type Context = z.core.$RefinementCtx<Members>;
type Path = readonly (string | number)[];

function addFault(context: Context, path: Path, code: string, message: string): void {
  context.addIssue({ code: 'custom', path: [...path], message, params: { code } });
}

/** A comma cannot both stand in numbers and between them. */
export function checkDelimiters({ delimiter, decimal_separator, quote }: Members, context: Context): void {
  if (delimiter !== 'comma' || decimal_separator !== 'comma' || quote === 'double') return;
  const message = 'With the delimiter comma, numbers with a decimal comma must stand in quotes; give quote double.';
  addFault(context, ['decimal_separator'], 'conflict', message);
}

/** Data come after the header. */
export function checkRows({ header, first_data_row }: Members, context: Context): void {
  if (!header.present || header.row_number === undefined || first_data_row === undefined) return;
  if (first_data_row > header.row_number) return;
  const message = `Give a line after the header, which is line ${header.row_number}.`;
  addFault(context, ['first_data_row'], 'out_of_range', message);
}

/** The columns that are used, with their places. */
function columnsOf({ timestamp, instrument, data_layout }: Members): [Path, ColumnReference | undefined][] {
  const { name_source, name_column } = instrument;
  return [
    ...timestamp.columns.map((column, index): [Path, ColumnReference] => [['timestamp', 'columns', index], column]),
    [['timestamp', 'zone_column'], timestamp.zone_column],
    [['instrument', 'name_column'], name_source === 'column' ? name_column : undefined],
    ...(data_layout.layout === 'one_data_point_per_row'
      ? data_layout.variable_mappings.map((mapping, index): [Path, ColumnReference] => [
          ['data_layout', 'variable_mappings', index, 'source_column'],
          mapping.source_column,
        ])
      : ([
          [['data_layout', 'variable_column'], data_layout.variable_column],
          [['data_layout', 'value_column'], data_layout.value_column],
        ] satisfies [Path, ColumnReference][])),
  ];
}

/** Columns have names where there is a header alone. */
export function checkColumns(configuration: Members, context: Context): void {
  if (configuration.header.present) return;
  for (const [path, column] of columnsOf(configuration)) {
    if (column?.header_name === undefined) continue;
    const message = 'The file has no header (header.present is false); give column_number alone.';
    addFault(context, [...path, 'header_name'], 'conflict', message);
  }
}
