import type { RecordPage } from '@weir/kit/records';
import { containsPattern, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';
import type { VariableType } from '../domain/variable.js';

/** Ids, by which the records are read, and how many calculations they have. */
const found = z.object({ id: z.string(), calculationCount: z.number() });

interface VariablePage extends RecordPage {
  /** undefined: any */
  readonly variableType: VariableType | undefined;
}

/** A page of the variables of a project, in the order of their creation. */
export const selectVariablePage = statement(
  found,
  ({ projectId, variableType, after, q, includeArchived, readMax }: VariablePage) => sql`
    select variable.id, (
        select count(*)::integer from variables.calculations where variable_id = variable.id
      ) as calculation_count
    from variables.variables as variable
    cross join lateral (
      select archived_at
      from variables.instruments
      where project_id = variable.project_id and id = variable.instrument_id
      limit 1
    ) as instrument
    where (variable.project_id, variable.id) > (${projectId}, ${after})
      and (variable.project_id, variable.id) <= (${projectId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and variable.revision >= 1
      and (${variableType}::text is null or variable.variable_type = ${variableType})
      and (${includeArchived} or (variable.archived_at is null and instrument.archived_at is null))
      and (${q === ''} or upper(lower(variable.name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by variable.project_id, variable.id
    limit ${readMax}`,
);

/** The same of the variables of an instrument, which is one of the project and may be seen. */
export const selectVariablePageOfInstrument = statement(
  found,
  ({
    instrumentId,
    variableType,
    after,
    q,
    includeArchived,
    readMax,
  }: Omit<VariablePage, 'projectId'> & { readonly instrumentId: string }) => sql`
    select id, (
        select count(*)::integer from variables.calculations where variable_id = variables.id
      ) as calculation_count
    from variables.variables
    where (instrument_id, id) > (${instrumentId}, ${after}) and (instrument_id, id) <= (${instrumentId}, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
      and revision >= 1
      and (${variableType}::text is null or variable_type = ${variableType})
      and (${includeArchived} or archived_at is null)
      and (${q === ''} or upper(lower(name collate "und-x-icu")) like (select upper(lower(${containsPattern(q)} collate "und-x-icu"))))
    order by instrument_id, id
    limit ${readMax}`,
);
