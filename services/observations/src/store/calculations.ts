import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { Definition } from '../domain/definition.js';

/** Notes which changes are taken over, and answers those that were not yet. */
export const insertTakenChanges = statement(
  z.object({ changeId: z.number() }),
  ({ changeIds }: { changeIds: readonly number[] }) => sql`
    insert into observations.taken_changes (change_id)
    select change_id
    from unnest(${changeIds}::bigint[]) as given (change_id)
    order by change_id
    on conflict (change_id) do nothing
    returning change_id`,
);

/** Forgets changes that were taken over long ago: they were acknowledged since, and do not come again. */
export const deleteTakenChanges = statement(
  z.object({}),
  ({ days }: { days: number }) => sql`
    delete from observations.taken_changes where taken_at < now() - make_interval(days => ${days}::int)`,
);

/**
 * Puts a definition in the place of an older one, and tells whether there was none; answers nothing where it is not newer
 * than what is there. Null: none is in force.
 */
export const replaceDefinition = statement(
  z.object({ isFirst: z.boolean() }),
  (args: {
    variableKey: number;
    projectId: string;
    variableId: string;
    instrumentId: string;
    configurationGeneration: number;
    version: number;
    definition: Definition | null;
  }) => sql`
    insert into observations.calculations as stored
      (variable_key, project_id, variable_id, instrument_id, configuration_generation, version, definition)
    values (${args.variableKey}, ${args.projectId}, ${args.variableId}, ${args.instrumentId},
      ${args.configurationGeneration}, ${args.version}, ${args.definition}::jsonb)
    on conflict (variable_key) do update
    set configuration_generation = excluded.configuration_generation, version = excluded.version,
      definition = excluded.definition
    where stored.version < excluded.version
    returning xmax = 0 as is_first`,
);

/** Whether a variable is computed at all. */
export const selectIsComputed = statement(
  z.object({ isComputed: z.boolean() }),
  ({ variableKey }: { variableKey: number }) => sql`
    select definition is not null as is_computed from observations.calculations where variable_key = ${variableKey}`,
);
