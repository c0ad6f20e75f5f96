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
    isActive: z.boolean(),
  }),
  (wanted: OfProject & { readonly variableIds: readonly string[]; readonly constantIds: readonly string[] }) => sql`
    select 'variable' as kind, variable.id, variable.instrument_id,
      variable.archived_at is null and instrument.archived_at is null as is_active
    from unnest(${wanted.variableIds}::uuid[]) as asked (id)
    join variables.variables as variable on variable.id = asked.id and variable.project_id = ${wanted.projectId}
    join variables.instruments as instrument
      on instrument.id = variable.instrument_id and instrument.project_id = variable.project_id
    union all
    select 'constant', constant.id, constant.instrument_id,
      constant.archived_at is null and instrument.archived_at is null
    from unnest(${wanted.constantIds}::uuid[]) as asked (id)
    join variables.constants as constant on constant.id = asked.id and constant.project_id = ${wanted.projectId}
    join variables.instruments as instrument
      on instrument.id = constant.instrument_id and instrument.project_id = constant.project_id`,
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
      join variables.calculation_inputs as input
        on input.variable_id = reached.id and input.project_id = ${from.projectId}
      where input.input_variable_id is not null and input.input_variable_id <> ${from.exceptId}
    )
    select distinct reader.id as reader_id, reader.name as reader_name, input.input_variable_id as read_id
    from reached
    join variables.variables as reader on reader.id = reached.id and reader.project_id = ${from.projectId}
    join variables.calculation_inputs as input on input.variable_id = reader.id and input.project_id = reader.project_id
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
    select distinct case when input.constant_id is null then 'variable' else 'constant' end as kind,
      coalesce(variable.id, constant.id) as id, coalesce(variable.name, constant.name) as name,
      reader.name as reader_name
    from unnest(${readers.variableIds}::uuid[]) as asked (id)
    join variables.variables as reader on reader.id = asked.id and reader.project_id = ${readers.projectId}
    join variables.calculation_inputs as input on input.variable_id = reader.id and input.project_id = reader.project_id
    left join variables.variables as variable
      on variable.id = input.input_variable_id and variable.project_id = input.project_id
    left join variables.constants as constant
      on constant.id = input.constant_id and constant.project_id = input.project_id
    join variables.instruments as instrument
      on instrument.id = coalesce(variable.instrument_id, constant.instrument_id)
      and instrument.project_id = input.project_id
    where coalesce(variable.archived_at, constant.archived_at) is not null
      or (instrument.archived_at is not null and instrument.id <> ${readers.instrumentId})
    order by reader_name, name, id
    limit ${readers.limit}`,
);
