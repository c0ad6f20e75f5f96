import { z } from 'zod';
import { linePattern } from './line-pattern.js';

/** The largest number of a line. */
export const lineMax = 1_000_000;

/** Whether there is a line with the names of the columns, and which. */
export const header = z
  .strictObject({
    present: z.boolean().default(true),
    row_number: z
      .int()
      .min(1)
      .max(lineMax)
      .optional()
      .meta({ description: 'The line it stands in, from 1; 1 by default.' }),
    matching: linePattern.optional().meta({
      description: 'Finds the header by its content, instead of by `row_number`: a regular expression (RE2).',
    }),
  })
  .superRefine(({ present, row_number, matching }, context) => {
    if (matching === undefined) return;
    const conflict = (message: string) =>
      context.addIssue({ code: 'custom', path: ['matching'], message, params: { code: 'conflict' } });
    if (!present) conflict('There is no header to be found when present is false.');
    if (row_number !== undefined) conflict('Give row_number or matching, not both.');
  })
  .overwrite((given) =>
    given.present && given.matching === undefined ? { ...given, row_number: given.row_number ?? 1 } : given,
  );
