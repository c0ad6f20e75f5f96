import type { z } from 'zod';
import { checkColumns, checkDelimiters, checkRows } from './cross-checks.js';
import { type Members, members } from './members.js';

/** Fills in the first row of data; one after a header that is yet to be found stays open. */
function withFirstDataRow({ timestamp_order, delimiter, decimal_separator, header: found, ...rest }: Members): Members {
  const headerRow = found.present ? found.row_number : 0;
  const first = rest.first_data_row ?? (headerRow === undefined ? undefined : headerRow + 1);
  return {
    timestamp_order,
    delimiter,
    decimal_separator,
    header: found,
    ...(first !== undefined && { first_data_row: first }),
    ...rest,
  };
}

const whole = members
  .superRefine(checkDelimiters)
  .superRefine(checkRows)
  .superRefine(checkColumns)
  .overwrite(withFirstDataRow);

/** The whole configuration of a parser of type `csv`. Defaults are filled in; nothing unknown is let through. */
export const parserConfiguration = whole.meta({ id: 'NewParserConfiguration' });
export type ParserConfiguration = z.output<typeof parserConfiguration>;

/** A configuration as it is answered: what has a default is there. */
export const savedConfiguration = whole.meta({ id: 'ParserConfiguration' });
