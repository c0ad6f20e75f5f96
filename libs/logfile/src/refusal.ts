/** Why a file is refused before any row is read. */
export type RefusalCode =
  | 'column_ambiguous'
  | 'column_mismatch'
  | 'column_not_found'
  | 'header_not_found'
  | 'instrument_invalid'
  | 'not_delimited_text'
  | 'too_many_columns';

/** A file that cannot be read at all by its configuration. The message is for a person. */
export class LogfileRefused extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'LogfileRefused';
    this.code = code;
  }
}
