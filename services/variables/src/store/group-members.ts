import type { Actor } from '@weir/kit/records';
import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

interface MemberKey {
  readonly projectId: string;
  readonly groupId: string;
  readonly instrumentId: string;
}

const none = z.object({});

const member = z.object({
  groupId: z.string(),
  instrumentId: z.string(),
  memberKey: z.number(),
  addedAtUs: z.number(),
});

/** A page of the members of a group, in the order in which they were added. */
export const selectMemberPage = statement(
  member,
  ({
    projectId,
    groupId,
    includeArchived,
    after,
    readMax,
  }: {
    readonly projectId: string;
    readonly groupId: string;
    readonly includeArchived: boolean;
    /** Members with a greater key belong to the page. */
    readonly after: number;
    readonly readMax: number;
  }) => sql`
    select group_id, instrument_id, member_key, added_at as added_at_us
    from variables.group_members as member
    cross join lateral (
      select archived_at
      from variables.instruments
      where project_id = ${projectId} and id = member.instrument_id
      limit 1
    ) as instrument
    where group_id = ${groupId} and member_key > ${after} and member_key >= 1
      and (${includeArchived} or instrument.archived_at is null)
    order by member_key
    limit ${readMax}`,
);

/** A member of a group. */
export const selectMember = statement(
  member,
  ({ projectId, groupId, instrumentId }: MemberKey) => sql`
    select group_id, instrument_id, member_key, added_at as added_at_us
    from variables.group_members
    where project_id = ${projectId} and group_id = ${groupId} and instrument_id = ${instrumentId}`,
);

/** Adds an instrument to a group of the same project; one that is in it stays as it is. */
export const insertMember = statement(
  none,
  ({ projectId, groupId, instrumentId, actor }: MemberKey & { readonly actor: Actor }) => sql`
    insert into variables.group_members (project_id, group_id, instrument_id, added_by)
    values (${projectId}, ${groupId}, ${instrumentId}, ${actor})
    on conflict (group_id, instrument_id) do nothing`,
);

/** Takes an instrument out of a group; the row that goes cannot say who did it. */
export const deleteMember = statement(
  none,
  ({ projectId, groupId, instrumentId, actor }: MemberKey & { readonly actor: Actor }) => sql`
    delete from variables.group_members
    where project_id = ${projectId} and group_id = ${groupId} and instrument_id = ${instrumentId}
      and set_config('weir.actor', ${actor}::jsonb::text, true) is not null`,
);
