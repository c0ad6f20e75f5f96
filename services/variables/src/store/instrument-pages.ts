import type { RecordPage } from '@weir/kit/records';
import { containsPattern, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/*
 * Statements of pages say their range and their order by both columns of the index that they walk, the
 * scope and the id. With an equality for the scope every index by id alone would give the order too, and a
 * plan that walks one reads the records of all other scopes.
 */

/*
 * Ids alone: the records are read by them. An instrument is archived itself wherever its site is, so the
 * site is not looked at.
 */
const id = z.object({ id: z.string() });

/** A page of the instruments of a project, in the order of their creation. */
export const selectInstrumentPage = statement(
  id,
  ({ projectId, after, q, includeArchived, readMax }: RecordPage) => sql`
    select id
    from variables.instruments
    where (project_id, id) > (${projectId}, ${after}) and (project_id, id) <= (${projectId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and revision >= 1
      and (${includeArchived} or archived_at is null)
      and (${q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by project_id, id
    limit ${readMax}`,
);

/** The same of the instruments of a site, which is one of the project. */
export const selectInstrumentPageOfSite = statement(
  id,
  ({ siteId, after, q, includeArchived, readMax }: Omit<RecordPage, 'projectId'> & { readonly siteId: string }) => sql`
    select id
    from variables.instruments
    where (site_id, id) > (${siteId}, ${after}) and (site_id, id) <= (${siteId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and revision >= 1
      and (${includeArchived} or archived_at is null)
      and (${q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by site_id, id
    limit ${readMax}`,
);

/** The same of the instruments of a group, and of those at a site when one is given. */
export const selectInstrumentPageOfGroup = statement(
  id,
  ({
    projectId,
    groupId,
    siteId,
    after,
    q,
    includeArchived,
    readMax,
  }: RecordPage & { readonly groupId: string; readonly siteId: string | undefined }) => sql`
    select member.instrument_id as id
    from variables.group_members as member
    cross join lateral (
      select site_id, name, archived_at
      from variables.instruments
      where project_id = ${projectId} and id = member.instrument_id
      limit 1
    ) as instrument
    where member.group_id = ${groupId} and member.instrument_id > ${after}
      and (${siteId}::uuid is null or instrument.site_id = ${siteId})
      and (${includeArchived} or instrument.archived_at is null)
      and (${q === ''} or upper(lower(instrument.name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by member.instrument_id
    limit ${readMax}`,
);
