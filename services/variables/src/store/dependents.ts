import { sql, sqlPart, statement } from '@weir/kit/sql';
import { z } from 'zod';

/**
 * Dependents are active calculated variables of active instruments. Those of the instrument itself count
 * also while it is archived, for restoring it brings them back.
 */
const dependent = z.object({
  id: z.string(),
  name: z.string(),
  instrumentId: z.string(),
  instrumentName: z.string(),
});

/** What is read, and the instrument that it is of. */
interface ReadOf {
  readonly projectId: string;
  readonly id: string;
  readonly instrumentId: string;
}

interface Limited {
  /** null: all of them */
  readonly limit: number | null;
}

/** The variable that an input is of, with its instrument. */
const ofReader = sqlPart`
  cross join lateral (
    select id, name, instrument_id, archived_at
    from variables.variables
    where id = input.variable_id and project_id = input.project_id
    limit 1
  ) as reader
  cross join lateral (
    select id, name, archived_at
    from variables.instruments
    where id = reader.instrument_id and project_id = input.project_id
    limit 1
  ) as instrument`;

/** What reads something in a calculation. */
const readers = sqlPart`
  select distinct reader.id, reader.name, instrument.id as instrument_id, instrument.name as instrument_name
  from variables.calculation_inputs as input`;

/** The first calculated variables that read a variable. */
export const selectVariableDependents = statement(
  dependent,
  ({ projectId, id, instrumentId, limit }: ReadOf & Limited) => sql`
    ${readers}
    ${ofReader}
    where input.input_variable_id = ${id} and input.project_id = ${projectId} and reader.archived_at is null
      and (instrument.archived_at is null or instrument.id = ${instrumentId})
    order by reader.id
    limit ${limit}`,
);

/** The first calculated variables that read a constant. */
export const selectConstantDependents = statement(
  dependent,
  ({ projectId, id, instrumentId, limit }: ReadOf & Limited) => sql`
    ${readers}
    ${ofReader}
    where input.constant_id = ${id} and input.project_id = ${projectId} and reader.archived_at is null
      and (instrument.archived_at is null or instrument.id = ${instrumentId})
    order by reader.id
    limit ${limit}`,
);

/** The first calculated variables of other instruments that read a variable of an instrument. */
export const selectInstrumentDependents = statement(
  dependent,
  ({ projectId, id, limit }: Omit<ReadOf, 'instrumentId'> & Limited) => sql`
    ${readers}
    ${ofReader}
    where input.source_instrument_id = ${id} and input.project_id = ${projectId} and reader.archived_at is null
      and instrument.archived_at is null and instrument.id <> ${id}
    order by reader.id
    limit ${limit}`,
);

/** The expressions of active calculations that read a variable or a constant. */
export const selectReadingExpressions = statement(
  dependent.extend({ expression: z.string() }),
  ({ projectId, id }: Omit<ReadOf, 'instrumentId'>) => sql`
    select reader.id, reader.name, instrument.id as instrument_id, instrument.name as instrument_name,
      calculation.expression
    from (
      select project_id, variable_id, calculation_id from variables.calculation_inputs where input_variable_id = ${id}
      union
      select project_id, variable_id, calculation_id from variables.calculation_inputs where constant_id = ${id}
    ) as input
    cross join lateral (
      select expression
      from variables.calculations
      where variable_id = input.variable_id and id = input.calculation_id and project_id = input.project_id
      limit 1
    ) as calculation
    ${ofReader}
    where input.project_id = ${projectId} and reader.archived_at is null and instrument.archived_at is null
    order by reader.id`,
);
