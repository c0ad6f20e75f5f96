import { type Actor, nameTaken, type RecordPage } from '@weir/kit/records';
import { archiving, type ConstraintErrors, containsPattern, restoring, sql, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { GroupFields } from '../domain/group.js';
import { recordColumns } from './record-columns.js';

interface GroupKey {
  readonly projectId: string;
  readonly groupId: string;
}

const none = z.object({});

const group = z.object({ ...recordColumns, description: z.string() });

/** Groups as they are stored. */
const groups = sqlPart`
  select id, project_id, name, description, revision,
    created_at as created_at_us, updated_at as updated_at_us, updated_by, archived_at as archived_at_us, archived_by,
    archived_at is not null as is_archived_itself, false as is_parent_archived
  from variables.groups`;

/** A group of the project, whether archived or not. */
export const selectGroup = statement(
  group,
  ({ projectId, groupId }: GroupKey) => sql`
    ${groups}
    where project_id = ${projectId} and id = ${groupId}`,
);

/** A page of the groups of a project, in the order of their creation. */
export const selectGroupPage = statement(
  group,
  ({ projectId, after, q, includeArchived, readMax }: RecordPage) => sql`
    ${groups}
    where (project_id, id) > (${projectId}, ${after}) and (project_id, id) <= (${projectId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and revision >= 1
      and (${includeArchived} or archived_at is null)
      and (${q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by project_id, id
    limit ${readMax}`,
);

/** Adds a group. */
export const insertGroup = statement(
  none,
  (group: GroupFields & GroupKey & { readonly actor: Actor }) => sql`
    insert into variables.groups (project_id, id, name, description, created_by, updated_by)
    select ${group.projectId}, ${group.groupId}, ${group.name}, ${group.description}, actor, actor
    from (select ${group.actor}::jsonb as actor) as change`,
);

/** Saves what a client says of a group. */
export const updateGroup = statement(
  none,
  (group: GroupFields & GroupKey & { readonly actor: Actor }) => sql`
    update variables.groups
    set name = ${group.name}, description = ${group.description},
      updated_at = statement_timestamp(), updated_by = ${group.actor}, revision = revision + 1
    where project_id = ${group.projectId} and id = ${group.groupId}`,
);

/** Archives an active group. */
export const updateGroupArchived = archiving('variables.groups');

/** Makes an archived group active again. */
export const updateGroupRestored = restoring('variables.groups');

/** What violated constraints of groups mean. */
export const groupConstraints: ConstraintErrors = {
  groups_project_id_name_key: () => nameTaken('/name', 'active instrument group of the project'),
};
