import { projectRecordColumns } from '@weir/kit/records';
import { z } from 'zod';

/** The columns that records of the catalog have in common, as statements name them. */
export const recordColumns = {
  ...projectRecordColumns,
  isArchivedItself: z.boolean(),
  isParentArchived: z.boolean(),
};
