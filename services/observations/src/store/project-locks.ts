import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

// Both take the same numbers: what tells a project from others, among all locks of the database.

/**
 * Waits until nothing that computes from these projects' observations is being installed, and keeps it from being until
 * the transaction ends. The first statement of whatever writes observations; then it sees all readers of what it
 * writes. Always in one order, and before any row is locked, so that nobody waits in a circle.
 *
 * @param projectIds - each once
 */
export const shareProjects = statement(
  z.object({}),
  ({ projectIds }: { projectIds: readonly string[] }) => sql`
    select pg_advisory_xact_lock_shared(hashtextextended(ordered.project_id::text, 7374626553))
    from (select project_id from unnest(${projectIds}::uuid[]) as given (project_id) order by project_id) as ordered`,
);

/** Waits for all writers of a project, and keeps new ones out until the transaction ends. */
export const lockProject = statement(
  z.object({}),
  ({ projectId }: { projectId: string }) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${projectId}::uuid::text, 7374626553))`,
);
