import { type Actor, nameTaken } from '@weir/kit/records';
import { archiving, type ConstraintErrors, restoring, sql, statement } from '@weir/kit/sql';
import { defaultViewOptions, type ViewOptions } from '@weir/variable-shapes';
import { z } from 'zod';
import type { ProvisionedVariable } from '../domain/provisioning.js';
import {
  type NewVariable,
  type VariableFields,
  type VariableType,
  valueTypes,
  variableTypes,
} from '../domain/variable.js';
import { recordColumns } from './record-columns.js';

interface VariableKey {
  readonly projectId: string;
  readonly variableId: string;
}

const none = z.object({});

const variable = z.object({
  ...recordColumns,
  variableKey: z.number(),
  instrumentId: z.string(),
  alias: z.string(),
  variableType: z.enum(variableTypes),
  unit: z.string().optional(),
  expectedCadenceS: z.number().optional(),
  isTimeVariable: z.boolean(),
  configurationGeneration: z.number(),
  valueType: z.enum(valueTypes),
  viewOptions: z.custom<ViewOptions>(),
});

/**
 * Variables of the project: those of `variableIds` in their order, then those of an instrument and
 * those of the instruments of a group in the order of their creation.
 */
export const selectVariables = statement(
  variable,
  (wanted: {
    readonly projectId: string;
    readonly variableIds: readonly string[];
    readonly instrumentId: string | undefined;
    readonly groupId: string | undefined;
    readonly includeArchived: boolean;
  }) => sql`
    with wanted as (
      select id, ordinal from unnest(${wanted.variableIds}::uuid[]) with ordinality as asked (id, ordinal)
      union all
      select id, variable_key from variables.variables where instrument_id = ${wanted.instrumentId} and revision >= 1
      union all
      select variable.id, variable_key
      from variables.group_members as member
      cross join lateral (
        select id, variable_key from variables.variables
        where instrument_id = member.instrument_id and revision >= 1
        offset 0 -- keeps this a walk from each member
      ) as variable
      where group_id = ${wanted.groupId}
    )
    select variable.id, variable_key, variable.project_id, instrument_id, variable.name, alias, variable_type, unit,
      expected_cadence_s, is_time_variable, configuration_generation, value_type, view_options, variable.revision,
      variable.created_at as created_at_us, variable.updated_at as updated_at_us, variable.updated_by,
      coalesce(variable.archived_at, instrument.archived_at) as archived_at_us,
      coalesce(variable.archived_by, instrument.archived_by) as archived_by,
      variable.archived_at is not null as is_archived_itself, instrument.archived_at is not null as is_parent_archived
    from wanted
    cross join lateral (
      select id, variable_key, project_id, instrument_id, name, alias, variable_type, unit, expected_cadence_s,
        is_time_variable, configuration_generation, value_type, view_options, revision,
        created_at, updated_at, updated_by, archived_at, archived_by
      from variables.variables
      where id = wanted.id and project_id = ${wanted.projectId}
      limit 1
    ) as variable
    cross join lateral (
      select archived_at, archived_by
      from variables.instruments
      where id = variable.instrument_id and project_id = variable.project_id
      limit 1
    ) as instrument
    where ${wanted.includeArchived} or (variable.archived_at is null and instrument.archived_at is null)
    order by ordinal`,
);

/** Adds a variable. */
export const insertVariable = statement(
  none,
  (
    created: Omit<NewVariable, 'alias'> &
      VariableKey & { readonly instrumentId: string; readonly alias: string; readonly variableType: VariableType },
  ) => sql`
    insert into variables.variables
      (project_id, id, instrument_id, name, alias, variable_type, value_type, unit, expected_cadence_s,
       is_time_variable, view_options, created_by, updated_by)
    select ${created.projectId}, ${created.variableId}, ${created.instrumentId}, ${created.name}, ${created.alias},
      ${created.variableType}, ${created.valueType}, ${created.unit}, ${created.expectedCadenceS}, ${created.isTimeVariable},
      ${created.viewOptions}, actor, actor
    from (select ${created.actor}::jsonb as actor) as change`,
);

/** Adds ingested variables that points brought. */
export const insertVariables = statement(
  none,
  (created: {
    readonly projectId: string;
    readonly variables: readonly (ProvisionedVariable & { readonly id: string })[];
    readonly actor: Actor;
  }) => sql`
    insert into variables.variables
      (project_id, id, instrument_id, name, alias, variable_type, value_type, view_options, created_by, updated_by)
    select ${created.projectId}, variable.id, variable.instrument_id, variable.name, variable.alias,
      'ingested', 'decimal', ${defaultViewOptions}, change.actor, change.actor
    from unnest(
      ${created.variables.map(({ id }) => id)}::uuid[],
      ${created.variables.map(({ instrumentId }) => instrumentId)}::uuid[],
      ${created.variables.map(({ name }) => name)}::text[],
      ${created.variables.map(({ alias }) => alias)}::text[]
    ) as variable (id, instrument_id, name, alias),
    (select ${created.actor}::jsonb as actor) as change`,
);

/** Saves what a client says of a variable, and what comes of it; the audit is told whether its calculations change too. */
export const updateVariable = statement(
  none,
  (
    variable: VariableFields &
      VariableKey & {
        readonly configurationGeneration: number;
        readonly changesCalculations: boolean;
        readonly actor: Actor;
      },
  ) => sql`
    update variables.variables
    set name = ${variable.name}, alias = ${variable.alias}, unit = ${variable.unit},
      expected_cadence_s = ${variable.expectedCadenceS}, is_time_variable = ${variable.isTimeVariable},
      value_type = ${variable.valueType}, view_options = ${variable.viewOptions},
      configuration_generation = ${variable.configurationGeneration},
      updated_at = statement_timestamp(), updated_by = ${variable.actor}, revision = revision + 1
    where project_id = ${variable.projectId} and id = ${variable.variableId}
      and set_config(
        'weir.changed', case when ${variable.changesCalculations} then 'calculations' else '' end, true
      ) is not null`,
);

/** Raises the generation of calculated variables, whose values may come to be others. */
export const updateVariableGenerations = statement(
  z.object({ id: z.string(), configurationGeneration: z.number() }),
  ({ projectId, variableIds }: { readonly projectId: string; readonly variableIds: readonly string[] }) => sql`
    update variables.variables
    set configuration_generation = configuration_generation + 1
    where project_id = ${projectId} and id = any (${variableIds}::uuid[])
    returning id, configuration_generation`,
);

/** The calculated variables of an instrument that are not archived themselves. */
export const selectCalculatedIds = statement(
  z.object({ id: z.string() }),
  ({ projectId, instrumentId }: { readonly projectId: string; readonly instrumentId: string }) => sql`
    select id from variables.variables
    where project_id = ${projectId} and instrument_id = ${instrumentId}
      and variable_type = 'calculated' and archived_at is null`,
);

/** Archives an active variable. */
export const updateVariableArchived = archiving('variables.variables');

/** Makes an archived variable active again. */
export const updateVariableRestored = restoring('variables.variables');

/** What violated constraints of variables mean. */
export const variableConstraints: ConstraintErrors = {
  variables_instrument_id_name_key: () => nameTaken('/name', 'active variable of the instrument'),
};
