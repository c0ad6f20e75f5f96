import { type Actor, nameTaken, type RecordPage } from '@weir/kit/records';
import { archiving, type ConstraintErrors, containsPattern, restoring, sql, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { SiteFields } from '../domain/site.js';
import { recordColumns } from './record-columns.js';

interface SiteKey {
  readonly projectId: string;
  readonly siteId: string;
}

const none = z.object({});

const site = z.object({
  ...recordColumns,
  description: z.string(),
  latitude: z.number().optional(),
  longitude: z.number().optional(),
  elevationM: z.number().optional(),
  timezone: z.string(),
  metadata: z.record(z.string(), z.string()),
});

/** Sites as they are stored. */
const sites = sqlPart`
  select id, project_id, name, description, latitude, longitude, elevation_m, timezone, metadata, revision,
    created_at as created_at_us, updated_at as updated_at_us, updated_by, archived_at as archived_at_us, archived_by,
    archived_at is not null as is_archived_itself, false as is_parent_archived
  from variables.sites`;

/** A site of the project, whether archived or not. */
export const selectSite = statement(
  site,
  ({ projectId, siteId }: SiteKey) => sql`
    ${sites}
    where project_id = ${projectId} and id = ${siteId}`,
);

/** A page of the sites of a project, in the order of their creation. */
export const selectSitePage = statement(
  site,
  ({ projectId, after, q, includeArchived, readMax }: RecordPage) => sql`
    ${sites}
    where (project_id, id) > (${projectId}, ${after}) and (project_id, id) <= (${projectId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and revision >= 1
      and (${includeArchived} or archived_at is null)
      and (${q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by project_id, id
    limit ${readMax}`,
);

/** Adds a site. */
export const insertSite = statement(
  none,
  (site: SiteFields & SiteKey & { readonly actor: Actor }) => sql`
    insert into variables.sites
      (project_id, id, name, description, latitude, longitude, elevation_m, timezone, metadata, created_by, updated_by)
    select ${site.projectId}, ${site.siteId}, ${site.name}, ${site.description}, ${site.latitude}, ${site.longitude},
      ${site.elevationM}, ${site.timezone}, ${site.metadata}, actor, actor
    from (select ${site.actor}::jsonb as actor) as change`,
);

/** Saves what a client says of a site. */
export const updateSite = statement(
  none,
  (site: SiteFields & SiteKey & { readonly actor: Actor }) => sql`
    update variables.sites
    set name = ${site.name}, description = ${site.description}, latitude = ${site.latitude},
      longitude = ${site.longitude}, elevation_m = ${site.elevationM}, timezone = ${site.timezone},
      metadata = ${site.metadata}, updated_at = statement_timestamp(), updated_by = ${site.actor},
      revision = revision + 1
    where project_id = ${site.projectId} and id = ${site.siteId}`,
);

/** Archives an active site. */
export const updateSiteArchived = archiving('variables.sites');

/** Makes an archived site active again. */
export const updateSiteRestored = restoring('variables.sites');

/** What violated constraints of sites mean. */
export const siteConstraints: ConstraintErrors = {
  sites_project_id_name_key: () => nameTaken('/name', 'active site of the project'),
};
