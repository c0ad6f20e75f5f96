import { type ConstraintErrors, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { nameTaken } from '../domain/conflicts.js';
import type { Actor } from '../domain/parse-actor.js';
import type { SiteFields } from '../domain/site.js';
import { recordColumns } from './record-columns.js';

interface SiteKey {
  readonly projectId: string;
  readonly siteId: string;
}

const none = z.object({});

/** A site of the project, whether archived or not. */
export const selectSite = statement(
  z.object({
    ...recordColumns,
    description: z.string(),
    latitude: z.number().optional(),
    longitude: z.number().optional(),
    elevationM: z.number().optional(),
    timezone: z.string(),
    metadata: z.record(z.string(), z.string()),
  }),
  ({ projectId, siteId }: SiteKey) => sql`
    select id, project_id, name, description, latitude, longitude, elevation_m, timezone, metadata, revision,
      created_at as created_at_us, updated_at as updated_at_us, archived_at as archived_at_us, archived_by,
      archived_at is not null as is_archived_itself, false as is_parent_archived
    from variables.sites
    where project_id = ${projectId} and id = ${siteId}`,
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

/** Archives an active site. */
export const updateSiteArchived = statement(
  none,
  ({ projectId, siteId, actor }: SiteKey & { readonly actor: Actor }) => sql`
    update variables.sites
    set archived_at = statement_timestamp(), archived_by = change.actor,
      updated_at = statement_timestamp(), updated_by = change.actor, revision = revision + 1
    from (select ${actor}::jsonb as actor) as change
    where project_id = ${projectId} and id = ${siteId}`,
);

/** Makes an archived site active again. */
export const updateSiteRestored = statement(
  none,
  ({ projectId, siteId, actor }: SiteKey & { readonly actor: Actor }) => sql`
    update variables.sites
    set archived_at = null, archived_by = null,
      updated_at = statement_timestamp(), updated_by = ${actor}, revision = revision + 1
    where project_id = ${projectId} and id = ${siteId}`,
);

/** What violated constraints of sites mean. */
export const siteConstraints: ConstraintErrors = {
  sites_project_id_name_key: () => nameTaken('/name', 'Another active site of the project has this name.'),
};
