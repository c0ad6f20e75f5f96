import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

interface OfProject {
  readonly projectId: string;
}

/** The variables and constants of these ids that the project has, each with its effective state. */
export const selectReadables = statement(
  z.object({
    kind: z.enum(['variable', 'constant']),
    id: z.string(),
    instrumentId: z.string(),
    alias: z.string(),
    isActive: z.boolean(),
  }),
  (wanted: OfProject & { readonly variableIds: readonly string[]; readonly constantIds: readonly string[] }) => sql`
    select 'variable' as kind, variable.id, variable.instrument_id, variable.alias,
      variable.archived_at is null and instrument.archived_at is null as is_active
    from unnest(${wanted.variableIds}::uuid[]) as asked (id)
    cross join lateral (
      select id, instrument_id, alias, archived_at
      from variables.variables
      where id = asked.id and project_id = ${wanted.projectId}
      limit 1
    ) as variable
    cross join lateral (
      select archived_at
      from variables.instruments
      where id = variable.instrument_id and project_id = ${wanted.projectId}
      limit 1
    ) as instrument
    union all
    select 'constant', constant.id, constant.instrument_id, constant.alias,
      constant.archived_at is null and instrument.archived_at is null
    from unnest(${wanted.constantIds}::uuid[]) as asked (id)
    cross join lateral (
      select id, instrument_id, alias, archived_at
      from variables.constants
      where id = asked.id and project_id = ${wanted.projectId}
      limit 1
    ) as constant
    cross join lateral (
      select archived_at
      from variables.instruments
      where id = constant.instrument_id and project_id = ${wanted.projectId}
      limit 1
    ) as instrument`,
);

/**
 * Which variable reads which, beginning with `variableIds` and going on with whatever they read, through
 * any number of variables, but not with what `exceptId` reads.
 */
export const selectReadings = statement(
  z.object({ readerId: z.string(), readerName: z.string(), readId: z.string() }),
  (from: OfProject & { readonly variableIds: readonly string[]; readonly exceptId: string }) => sql`
    with recursive reached (id) as (
      select id from unnest(${from.variableIds}::uuid[]) as asked (id) where id <> ${from.exceptId}
      union
      select input.input_variable_id
      from reached
      cross join lateral (
        select project_id, input_variable_id from variables.calculation_inputs where variable_id = reached.id offset 0
      ) as input
      where input.input_variable_id <> ${from.exceptId} and input.project_id = ${from.projectId}
    )
    select distinct reader.id as reader_id, reader.name as reader_name, input.input_variable_id as read_id
    from reached
    cross join lateral (
      select id, name from variables.variables where id = reached.id and project_id = ${from.projectId} limit 1
    ) as reader
    cross join lateral (
      select input_variable_id from variables.calculation_inputs where variable_id = reached.id offset 0
    ) as input
    where input.input_variable_id is not null`,
);

/**
 * What is archived of what calculated variables read.
 *
 * @param args.instrumentId - an instrument that counts as active, since it is about to be restored
 */
export const selectArchivedInputs = statement(
  z.object({
    kind: z.enum(['variable', 'constant']),
    id: z.string(),
    name: z.string(),
    readerName: z.string(),
  }),
  (
    readers: OfProject & {
      readonly variableIds: readonly string[];
      readonly instrumentId: string;
      readonly limit: number;
    },
  ) => sql`
    select distinct read.kind, read.id, read.name, reader.name as reader_name
    from unnest(${readers.variableIds}::uuid[]) as asked (id)
    cross join lateral (
      select id, name from variables.variables where id = asked.id and project_id = ${readers.projectId} limit 1
    ) as reader
    cross join lateral (
      select project_id, input_variable_id, constant_id
      from variables.calculation_inputs
      where variable_id = reader.id
      offset 0
    ) as input
    cross join lateral (
      select 'variable' as kind, id, name, instrument_id, archived_at
      from variables.variables
      where id = input.input_variable_id and project_id = input.project_id
      union all
      select 'constant', id, name, instrument_id, archived_at
      from variables.constants
      where id = input.constant_id and project_id = input.project_id
      limit 1
    ) as read
    cross join lateral (
      select id, archived_at
      from variables.instruments
      where id = read.instrument_id and project_id = input.project_id
      limit 1
    ) as instrument
    where read.archived_at is not null
      or (instrument.archived_at is not null and instrument.id <> ${readers.instrumentId})
    order by reader_name, name, id
    limit ${readers.limit}`,
);
