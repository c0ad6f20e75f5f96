import { z } from 'zod';

/** A row of a file that gives no point. */
export const rowError = z.strictObject({
  line: z.int().min(1).meta({ description: 'The physical line, from 1; the first of a row that runs over several.' }),
  column: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: 'The column at fault, from 1; null where it is the row as a whole.' }),
  code: z.string().meta({ description: 'Stable name of the fault, in snake_case.', examples: ['not_a_number'] }),
  message: z.string().meta({ description: 'What is wrong and what to change.' }),
  raw: z.string().meta({ description: 'The row as it stands in the file, cut.' }),
});

/** What was found in a file. */
export const fileCounts = z.strictObject({
  rows: z.int().min(0).meta({ description: 'Rows of data.' }),
  points: z.int().min(0).meta({ description: 'Points; a row of several instruments gives several.' }),
  errors: z.int().min(0).meta({ description: 'Rows that are an error.' }),
  missing: z.int().min(0).meta({ description: 'Empty and marked cells of mapped columns.' }),
  skipped: z.int().min(0).meta({ description: 'Blank, comment, filtered and repeated header lines among the rows.' }),
});

/** A row error as services have it. */
export function toRowErrorJson(error: {
  readonly line: number;
  readonly column?: number | undefined;
  readonly code: string;
  readonly message: string;
  readonly raw: string;
}): z.output<typeof rowError> {
  const { line, column, code, message, raw } = error;
  return { line, column: column ?? null, code, message, raw };
}

/** A row error for the document. */
export const rowErrorExample: z.output<typeof rowError> = {
  line: 7,
  column: 3,
  code: 'not_a_number',
  message: 'This is no number: give digits with at most one decimal point, or declare it a missing value.',
  raw: '2026-01-31 12:00:00,4711,ERR',
};
