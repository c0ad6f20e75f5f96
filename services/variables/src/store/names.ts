import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { AskedInstrument } from '../domain/asked-names.js';
import { valueTypes, variableTypes } from '../domain/variable.js';

/**
 * What the catalog holds of names, at one moment: for each asked instrument in order, a row for each
 * of its asked variables (one row when it asks for none).
 *
 * Everything is found by index, a few microseconds a name: each `limit` keeps its lookup one by one,
 * where the planner might join whole tables (10,000 names took 12 s that way before the first
 * ANALYZE). What finds instruments is materialized: the policies of tables let only plain columns of it
 * into conditions of indexes. Names of variables travel as one text of lines an instrument, as no name has a line break.
 */
export const selectNames = statement(
  z.object({
    ordinal: z.number(),
    generation: z.number(),
    isSiteMissing: z.boolean(),
    instrumentId: z.string().optional(),
    isAmbiguous: z.boolean(),
    isArchived: z.boolean(),
    variableName: z.string().optional(),
    variableId: z.string().optional(),
    variableKey: z.number().optional(),
    variableType: z.enum(variableTypes).optional(),
    valueType: z.enum(valueTypes).optional(),
    configurationGeneration: z.number().optional(),
    isVariableArchived: z.boolean(),
  }),
  ({ projectId, instruments }: { readonly projectId: string; readonly instruments: readonly AskedInstrument[] }) => sql`
    with instrument as materialized (
      select asked.ordinal, asked.site_id is not null and site.id is null as is_site_missing,
        coalesce(at_site.id, anywhere.id) as id, coalesce(anywhere.is_ambiguous, false) as is_ambiguous,
        case when at_site.id is null and anywhere.id is null then (
          select true from variables.instruments as archived
          where archived.project_id = ${projectId} and archived.name = asked.name and archived.archived_at is not null
            and (asked.site_id is null or archived.site_id = asked.site_id)
          limit 1
        ) end is true or site.archived_at is not null as is_archived,
        asked.variable_names
      from unnest(
        ${instruments.map(({ siteId }) => siteId)}::uuid[],
        ${instruments.map(({ name }) => name)}::text[],
        ${instruments.map(({ variableNames }) => [...variableNames].join('\n'))}::text[]
      ) with ordinality as asked (site_id, name, variable_names, ordinal)
      left join lateral (
        select id, project_id, archived_at from variables.sites where id = asked.site_id limit 1
      ) as site on site.project_id = ${projectId}
      left join lateral (
        select id from variables.instruments
        where project_id = ${projectId} and name = asked.name and site_id = asked.site_id and archived_at is null
        limit 1
      ) as at_site on true
      left join lateral (
        -- one without a site comes first and wins; else one at any site, if it is the only one
        select (array_agg(found.id order by found.site_id nulls first))[1] as id,
          count(*) > 1 and not bool_or(found.site_id is null) as is_ambiguous
        from (
          select id, site_id from variables.instruments
          where project_id = ${projectId} and name = asked.name and archived_at is null and asked.site_id is null
          order by site_id nulls first
          limit 2
        ) as found
      ) as anywhere on true
    )
    select instrument.ordinal,
      coalesce((select generation from variables.catalogs where project_id = ${projectId}), 1) as generation,
      instrument.is_site_missing, instrument.id as instrument_id, instrument.is_ambiguous, instrument.is_archived,
      wanted.name as variable_name, variable.id as variable_id, variable.variable_key, variable.variable_type,
      variable.value_type, variable.configuration_generation,
      case when variable.id is null then (
        select true from variables.variables as archived
        where archived.project_id = ${projectId} and archived.instrument_id = instrument.id
          and archived.name = wanted.name and archived.archived_at is not null
        limit 1
      ) end is true as is_variable_archived
    from instrument
    left join lateral unnest(string_to_array(instrument.variable_names, chr(10))) as wanted (name) on true
    left join lateral (
      select id, variable_key, variable_type, value_type, configuration_generation
      from variables.variables
      where project_id = ${projectId} and instrument_id = instrument.id and name = wanted.name and archived_at is null
      limit 1
    ) as variable on true
    order by instrument.ordinal`,
);
