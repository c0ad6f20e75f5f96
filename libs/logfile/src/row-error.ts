/** Why a row gives no point. */
export type RowErrorCode =
  | 'ambiguous_local_time'
  | 'bad_timestamp'
  | 'bad_zone'
  | 'instrument_invalid'
  | 'instrument_missing'
  | 'invalid_encoding'
  | 'line_too_long'
  | 'nonexistent_local_time'
  | 'not_a_boolean'
  | 'not_a_number'
  | 'not_an_integer'
  | 'nul_in_row'
  | 'number_out_of_range'
  | 'timestamp_out_of_range'
  | 'too_many_cells'
  | 'too_many_instruments'
  | 'truncated_row'
  | 'unclosed_quote'
  | 'variable_invalid'
  | 'variable_missing';

/** A row that gives no point, and why. A row has one error: the first that was found. */
export interface RowError {
  /** The physical line, from 1; the first of a row that runs over several. */
  readonly line: number;
  /** The column at fault, from 1; null where it is the row as a whole. */
  readonly column: number | null;
  /** The header of that column, where it has one. */
  readonly columnName: string | null;
  readonly code: RowErrorCode;
  /** What was wrong and what to change, for a person. */
  readonly message: string;
  /** The row as it stands in the file, cut at 200 characters. */
  readonly raw: string;
}
