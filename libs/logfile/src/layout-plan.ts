import type { ParserConfiguration } from '@weir/parser-configuration';
import type { ColumnFinder } from './columns.js';
import { ValueColumn } from './value-column.js';

/** A mapping with its column found. */
export interface PlannedValue {
  readonly column: ValueColumn;
  readonly variableName: string;
}

/** Mappings that belong to one instrument; without a name it is that of the row. */
export interface PlannedGroup {
  readonly instrumentName: string | undefined;
  /** Places in the list of values. */
  readonly values: readonly number[];
}

/** A row is an instant: what its columns are. */
export interface WidePlan {
  readonly values: readonly PlannedValue[];
  /** One point each. */
  readonly groups: readonly PlannedGroup[];
}

/** A row is one value of the variable that a cell names. */
export interface LongPlan {
  readonly variableIndex: number;
  readonly column: ValueColumn;
}

type Wide = Extract<ParserConfiguration['data_layout'], { layout: 'one_data_point_per_row' }>;
type Long = Extract<ParserConfiguration['data_layout'], { layout: 'one_value_per_row' }>;

/** Finds the columns of mappings, and puts those of one instrument together. */
export function planWide(layout: Wide, shared: readonly string[], mark: number, columns: ColumnFinder): WidePlan {
  const values = layout.variable_mappings.map((mapping): PlannedValue => {
    const markers = [...shared, ...(mapping.missing_value_markers ?? [])];
    const index = columns.find(mapping.source_column);
    return { column: new ValueColumn(index, mapping.value_type, markers, mark), variableName: mapping.variable_name };
  });
  const places = new Map<string | undefined, number[]>();
  for (const [place, { instrument_name }] of layout.variable_mappings.entries()) {
    places.set(instrument_name, [...(places.get(instrument_name) ?? []), place]);
  }
  const groups = Array.from(places, ([instrumentName, list]): PlannedGroup => ({ instrumentName, values: list }));
  return { values, groups };
}

/** Finds the columns of the long form. */
export function planLong(layout: Long, markers: readonly string[], mark: number, columns: ColumnFinder): LongPlan {
  const variableIndex = columns.find(layout.variable_column);
  const column = new ValueColumn(columns.find(layout.value_column), layout.value_type, markers, mark);
  return { variableIndex, column };
}
