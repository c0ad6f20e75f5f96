import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

// A project has one of 256 locks, so that a transaction for thousands of projects does not use up what the server has.
// Both statements take the same two numbers; the first tells these locks from all others of the database.

/**
 * Waits until nothing that computes from these projects' observations is being installed, and keeps it from being until
 * the transaction ends. The first statement of whatever writes observations; then it sees all readers of what it
 * writes. Always in one order, and before any row is locked, so that nobody waits in a circle.
 */
export const shareProjects = statement(
  z.object({}),
  ({ projectIds }: { projectIds: readonly string[] }) => sql`
    select pg_advisory_xact_lock_shared(7374626, ordered.number)
    from (
      select distinct hashtext(project_id::text) & 255 as number
      from unnest(${projectIds}::uuid[]) as given (project_id)
      order by number
    ) as ordered`,
);

/** Waits for all writers of a project, and keeps new ones out until the transaction ends. */
export const lockProject = statement(
  z.object({}),
  ({ projectId }: { projectId: string }) =>
    sql`select pg_advisory_xact_lock(7374626, hashtext(${projectId}::uuid::text) & 255)`,
);
