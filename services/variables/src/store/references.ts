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
    join variables.variables as variable on variable.project_id = ${projectId} and variable.id = wanted.id
    join variables.instruments as instrument
      on instrument.project_id = variable.project_id and instrument.id = variable.instrument_id
    union all
    select 'instrument', instrument.id, instrument.archived_at is not null
    from unnest(${instrumentIds}::uuid[]) as wanted (id)
    join variables.instruments as instrument on instrument.project_id = ${projectId} and instrument.id = wanted.id
    union all
    select 'group', found.id, found.archived_at is not null
    from unnest(${groupIds}::uuid[]) as wanted (id)
    join variables.groups as found on found.project_id = ${projectId} and found.id = wanted.id`,
);
