import { z } from 'zod';
import { faultError, notFound, type WeirError } from '../errors/index.js';
import { isId } from '../ids/index.js';
import type { Actor } from './actor.js';

/** What every edited record of a project carries. */
export interface ProjectRecord {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly revision: number;
  /** Microseconds since 1970. */
  readonly createdAtUs: number;
  readonly updatedAtUs: number;
  readonly updatedBy: Actor;
  readonly archivedAtUs?: number | undefined;
  readonly archivedBy?: Actor | undefined;
}

const actor = z.object({ type: z.string(), id: z.string() });

/** The shapes of these members as statements answer them. */
export const projectRecordColumns = {
  id: z.string(),
  projectId: z.string(),
  name: z.string(),
  revision: z.number(),
  createdAtUs: z.number(),
  updatedAtUs: z.number(),
  updatedBy: actor,
  archivedAtUs: z.number().optional(),
  archivedBy: actor.optional(),
};

/** The id of a project; a text that cannot be one names none. @throws WeirError `not_found` */
export function fromProjectId(projectId: string): string {
  if (!isId(projectId)) throw notFound('project');
  return projectId;
}

/** Passes on a record that is there and may be seen. @throws WeirError `not_found` */
export function visible<T extends Pick<ProjectRecord, 'archivedAtUs'>>(
  record: T | undefined,
  what: string,
  includeArchived: boolean,
): T {
  if (record === undefined || (record.archivedAtUs !== undefined && !includeArchived)) throw notFound(what);
  return record;
}

/** Refuses to edit an archived record, or to do what is said with it. @throws WeirError `lifecycle_conflict` */
export function requireActive(
  record: Pick<ProjectRecord, 'archivedAtUs'>,
  path: string,
  what: string,
  deed = 'change it',
): void {
  if (record.archivedAtUs === undefined) return;
  const message = `The ${what} is archived; restore it before you ${deed}.`;
  throw faultError('lifecycle_conflict', { path, code: 'archived', message });
}

/**
 * An active record of the same scope has the name (or the alias) already.
 *
 * @param holder - what may have it, with its scope, such as `active site of the project`
 */
export function nameTaken(path: '/name' | '/alias', holder: string): WeirError {
  const [what, change] = path === '/alias' ? ['alias', 'change'] : ['name', 'rename'];
  // who restores a record cannot choose
  const message = `Another ${holder} has this ${what}; choose another, or ${change} or archive that one.`;
  return faultError('name_conflict', { path, code: 'name_taken', message });
}

/** What messages of all records carry of them. */
export function toRecordMessage(record: ProjectRecord) {
  const { id, projectId, name, revision, createdAtUs, updatedAtUs, archivedAtUs, archivedBy } = record;
  const state = archivedAtUs === undefined ? 'active' : 'archived';
  return { id, projectId, name, revision, createdAtUs, updatedAtUs, lifecycle: { state, archivedAtUs, archivedBy } };
}
