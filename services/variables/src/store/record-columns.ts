import { z } from 'zod';

/** Who caused a change, as it is stored. */
const actor = z.object({ type: z.string(), id: z.string() });

/** The columns that records of the catalog have in common, as statements name them. */
export const recordColumns = {
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  revision: z.number(),
  createdAtUs: z.number(),
  updatedAtUs: z.number(),
  archivedAtUs: z.number().optional(),
  archivedBy: actor.optional(),
  isArchivedItself: z.boolean(),
  isParentArchived: z.boolean(),
};
