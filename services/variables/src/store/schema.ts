import { requiredSchema, sql } from '@weir/kit/sql';

/** Rejects while the database does not answer, or its schema is older than this release needs. */
export const requireSchema = requiredSchema(
  'variables',
  11,
  () => sql`select coalesce(max(version), 0) as version from variables.migrations`,
);
