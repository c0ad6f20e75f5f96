import { z } from 'zod';
import { cellText } from './texts.js';

/** Most columns of a header, and the last cell of a row that is looked at: as far as a configuration may point. */
export const columnsMax = 16_384;

/** A column of the file, by its number, its header, or both. */
export const columnReference = z
  .strictObject({
    column_number: z.int().min(1).max(columnsMax).optional().meta({ description: 'From 1.' }),
    header_name: cellText(1, 1024).optional().meta({ description: 'Compared exactly after trimming.' }),
  })
  .refine(({ column_number, header_name }) => column_number !== undefined || header_name !== undefined, {
    message: 'Give column_number, header_name or both, which must then agree.',
    params: { code: 'required' },
  })
  .meta({
    id: 'ColumnReference',
    // below an allOf, since generators of types take an anyOf beside properties for another shape
    allOf: [{ anyOf: [{ required: ['column_number'] }, { required: ['header_name'] }] }],
    description: 'A column by its number, its header, or both, which must then agree.',
  });

export type ColumnReference = z.output<typeof columnReference>;
