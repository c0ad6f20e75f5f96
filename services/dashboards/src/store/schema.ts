import { requiredSchema, sql } from '@weir/kit/sql';

/** Rejects while the database does not answer, or its schema is older than this release needs. */
export const requireSchema = requiredSchema(
  'dashboards',
  5,
  () => sql`select coalesce(max(version), 0) as version from dashboards.migrations`,
);
