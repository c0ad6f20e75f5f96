import { requiredSchema } from '@weir/kit/sql';

/** Rejects while the database does not answer, or its schema is older than this release needs. */
export const requireSchema = requiredSchema('observations', 10);
