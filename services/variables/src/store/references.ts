import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** Kinds of records that others refer to. */
const kinds = ['variable', 'instrument', 'group'] as const;

/** The records of the project among these ids, each once, and whether it is archived (itself or by its parent). */
export const selectReferences = statement(
  z.object({ kind: z.enum(kinds), id: z.string(), isArchived: z.boolean() }),
  ({
    projectId,
    variableIds,
    instrumentIds,
    groupIds,
  }: {
    readonly projectId: string;
    readonly variableIds: readonly string[];
    readonly instrumentIds: readonly string[];
    readonly groupIds: readonly string[];
  }) => sql`
    select 'variable' as kind, variable.id, coalesce(variable.archived_at, instrument.archived_at) is not null as is_archived
    from unnest(${variableIds}::uuid[]) as wanted (id)
    cross join lateral (
      select id, instrument_id, archived_at
      from variables.variables
      where id = wanted.id and project_id = ${projectId}
      limit 1
    ) as variable
    cross join lateral (
      select archived_at
      from variables.instruments
      where id = variable.instrument_id and project_id = ${projectId}
      limit 1
    ) as instrument
    union all
    select 'instrument', instrument.id, instrument.archived_at is not null
    from unnest(${instrumentIds}::uuid[]) as wanted (id)
    cross join lateral (
      select id, archived_at from variables.instruments where id = wanted.id and project_id = ${projectId} limit 1
    ) as instrument
    union all
    select 'group', found.id, found.archived_at is not null
    from unnest(${groupIds}::uuid[]) as wanted (id)
    cross join lateral (
      select id, archived_at from variables.groups where id = wanted.id and project_id = ${projectId} limit 1
    ) as found`,
);
