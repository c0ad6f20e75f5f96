import { type Actor, nameTaken } from '@weir/kit/records';
import { archiving, type ConstraintErrors, restoring, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { InstrumentFields } from '../domain/instrument.js';
import { recordColumns } from './record-columns.js';

interface InstrumentKey {
  readonly projectId: string;
  readonly instrumentId: string;
}

const none = z.object({});

/** Instruments of the project, whether archived or not, in the order of `instrumentIds`. */
export const selectInstruments = statement(
  z.object({
    ...recordColumns,
    siteId: z.string().optional(),
    description: z.string(),
    manufacturer: z.string().optional(),
    model: z.string().optional(),
    serialNumber: z.string().optional(),
    metadata: z.record(z.string(), z.string()),
  }),
  ({ projectId, instrumentIds }: { readonly projectId: string; readonly instrumentIds: readonly string[] }) => sql`
    select instrument.id, instrument.project_id, site_id, instrument.name, instrument.description, manufacturer, model,
      serial_number, instrument.metadata, instrument.revision,
      instrument.created_at as created_at_us, instrument.updated_at as updated_at_us, instrument.updated_by,
      coalesce(instrument.archived_at, site.archived_at) as archived_at_us,
      coalesce(instrument.archived_by, site.archived_by) as archived_by,
      instrument.archived_at is not null as is_archived_itself, site.archived_at is not null as is_parent_archived
    from unnest(${instrumentIds}::uuid[]) with ordinality as wanted (id, ordinal)
    cross join lateral (
      select id, project_id, site_id, name, description, manufacturer, model, serial_number, metadata, revision,
        created_at, updated_at, updated_by, archived_at, archived_by
      from variables.instruments
      where id = wanted.id and project_id = ${projectId}
      limit 1
    ) as instrument
    left join lateral (
      select archived_at, archived_by
      from variables.sites
      where id = instrument.site_id and project_id = instrument.project_id
      limit 1
    ) as site on true
    order by wanted.ordinal`,
);

/** The first active instruments of a site by name: what keeps it from being archived. */
export const selectActiveInstruments = statement(
  z.object({ id: z.string(), name: z.string() }),
  ({ projectId, siteId, limit }: { projectId: string; siteId: string; limit: number }) => sql`
    select id, name
    from variables.instruments
    where project_id = ${projectId} and site_id = ${siteId} and archived_at is null
    order by name
    limit ${limit}`,
);

/** How many active instruments a project has, counted up to `limit`. */
export const countActiveInstruments = statement(
  z.object({ count: z.number() }),
  ({ projectId, limit }: { projectId: string; limit: number }) => sql`
    select count(*) as count
    from (
      select 1 from variables.instruments where project_id = ${projectId} and archived_at is null limit ${limit}
    ) as active`,
);

/** Adds an instrument. */
export const insertInstrument = statement(
  none,
  (instrument: InstrumentFields & InstrumentKey & { readonly actor: Actor }) => sql`
    insert into variables.instruments
      (project_id, id, site_id, name, description, manufacturer, model, serial_number, metadata, created_by, updated_by)
    select ${instrument.projectId}, ${instrument.instrumentId}, ${instrument.siteId}, ${instrument.name},
      ${instrument.description}, ${instrument.manufacturer}, ${instrument.model}, ${instrument.serialNumber},
      ${instrument.metadata}, actor, actor
    from (select ${instrument.actor}::jsonb as actor) as change`,
);

/** Adds instruments that points brought. */
export const insertInstruments = statement(
  none,
  (created: {
    readonly projectId: string;
    readonly instruments: readonly {
      readonly id: string;
      readonly siteId: string | undefined;
      readonly name: string;
    }[];
    readonly actor: Actor;
  }) => sql`
    insert into variables.instruments (project_id, id, site_id, name, created_by, updated_by)
    select ${created.projectId}, instrument.id, instrument.site_id, instrument.name, change.actor, change.actor
    from unnest(
      ${created.instruments.map(({ id }) => id)}::uuid[],
      ${created.instruments.map(({ siteId }) => siteId)}::uuid[],
      ${created.instruments.map(({ name }) => name)}::text[]
    ) as instrument (id, site_id, name),
    (select ${created.actor}::jsonb as actor) as change`,
);

/** Saves what a client says of an instrument. */
export const updateInstrument = statement(
  none,
  (instrument: InstrumentFields & InstrumentKey & { readonly actor: Actor }) => sql`
    update variables.instruments
    set site_id = ${instrument.siteId}, name = ${instrument.name}, description = ${instrument.description},
      manufacturer = ${instrument.manufacturer}, model = ${instrument.model},
      serial_number = ${instrument.serialNumber}, metadata = ${instrument.metadata},
      updated_at = statement_timestamp(), updated_by = ${instrument.actor}, revision = revision + 1
    where project_id = ${instrument.projectId} and id = ${instrument.instrumentId}`,
);

/** Archives an active instrument. */
export const updateInstrumentArchived = archiving('variables.instruments');

/** Makes an archived instrument active again. */
export const updateInstrumentRestored = restoring('variables.instruments');

/** What violated constraints of instruments mean. */
export const instrumentConstraints: ConstraintErrors = {
  instruments_project_id_name_site_id_key: () =>
    nameTaken('/name', 'active instrument of the site (or of those without one)'),
};
