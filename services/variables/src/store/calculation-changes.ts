import { sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

const none = z.object({});

/**
 * The oldest changes that nobody has acknowledged, with what is to be computed again. The page ends before it
 * weighs more than `weightMax`, which is about the bytes of its messages, but has one change if there is one.
 */
export const selectCalculationChanges = statement(
  z.object({
    id: z.number(),
    projectId: z.string(),
    variableId: z.string().optional(),
    runId: z.string().optional(),
    runChanges: z.number(),
    cancelledRunId: z.string().optional(),
    /** of who asked for the run; empty where there is none */
    traceparent: z.string(),
    requestId: z.string(),
    /** start and end of each */
    ranges: z.array(z.tuple([z.number(), z.number()])),
  }),
  ({ after, limit, weightMax }: { readonly after: number; readonly limit: number; readonly weightMax: number }) => sql`
    with oldest as materialized (
      select id, project_id, variable_id, run_id, run_changes, cancelled_run_id
      from variables.calculation_changes
      where id > ${after}
      order by id
      limit ${limit}
    ), weighed as (
      select oldest.*, sum(pieces.weight + inputs.weight + steps.weight + ranges.weight) over (order by oldest.id) as weight,
        row_number() over (order by oldest.id) as position
      from oldest
      cross join lateral (
        select coalesce(sum(octet_length(expression) + 100), 0) as weight
        from variables.calculations where variable_id = oldest.variable_id
      ) as pieces
      cross join lateral (
        select count(*) * 100 as weight from variables.calculation_inputs where variable_id = oldest.variable_id
      ) as inputs
      cross join lateral (
        select coalesce(sum(counted.steps), 0) * 20 as weight
        from (
          select distinct constant_id from variables.calculation_inputs
          where variable_id = oldest.variable_id and constant_id is not null
        ) as constant
        cross join lateral (
          select count(*) as steps from variables.constant_values where constant_id = constant.constant_id
        ) as counted
      ) as steps
      cross join lateral (
        select count(*) * 20 as weight
        from variables.recalculation_ranges where run_id = oldest.run_id and variable_id = oldest.variable_id
      ) as ranges
    )
    select id, project_id, variable_id, run_id, run_changes, cancelled_run_id,
      coalesce(asked.traceparent, '') as traceparent, coalesce(asked.request_id, '') as request_id, coalesce((
      select json_agg(json_build_array(
        (extract(epoch from start_at) * 1000000)::bigint, (extract(epoch from end_at) * 1000000)::bigint
      ) order by start_at)
      from variables.recalculation_ranges
      where run_id = weighed.run_id and variable_id = weighed.variable_id
    ), '[]') as ranges
    from weighed
    left join lateral (
      select traceparent, request_id from variables.recalculations
      where project_id = weighed.project_id and run_id = weighed.run_id
      limit 1
    ) as asked on true
    where weight <= ${weightMax} or position = 1
    order by id`,
);

/**
 * How calculated variables are computed at one moment, and the version of their project then. Of what a
 * constant's steps are, a piece has those that hold in it.
 */
export const selectCalculatedSeries = statement(
  z.object({
    variableId: z.string(),
    variableKey: z.number(),
    projectId: z.string(),
    instrumentId: z.string(),
    configurationGeneration: z.number(),
    version: z.number(),
    valueType: z.string(),
    isActive: z.boolean(),
    pieces: z.array(
      z.object({
        startUs: z.number(),
        expression: z.string(),
        inputs: z.array(
          z.object({
            id: z.string(),
            kind: z.string(),
            alias: z.string(),
            variableKey: z.number().optional(),
            isCalculated: z.boolean().optional(),
            pastBufferSeconds: z.number().optional(),
            steps: z.array(z.object({ startTimeUs: z.number(), value: z.number() })).optional(),
          }),
        ),
      }),
    ),
  }),
  ({ variableIds }: { readonly variableIds: readonly string[] }) => sql`
    select variable.id as variable_id, variable_key, variable.project_id, instrument_id, configuration_generation,
      catalog.calculation_version as version, value_type, state.is_active, coalesce((
        select json_agg(json_build_object(
          'startUs', (extract(epoch from piece.start_at) * 1000000)::bigint,
          'expression', piece.expression,
          'inputs', array(
            select json_strip_nulls(json_build_object(
              'id', input.id,
              'kind', input.kind,
              'alias', read.alias,
              'variableKey', read.variable_key,
              'isCalculated', read.variable_type = 'calculated',
              'pastBufferSeconds', input.past_buffer_s,
              'steps', case when input.constant_id is not null then (
                select json_agg(json_build_object(
                  'startTimeUs', (extract(epoch from step.start_at) * 1000000)::bigint, 'value', step.value
                ) order by step.start_at)
                from variables.constant_values as step
                where step.constant_id = input.constant_id and step.start_at < piece.end_at and step.start_at >= (
                  select coalesce(max(start_at), '-infinity') from variables.constant_values
                  where constant_id = input.constant_id and start_at <= piece.start_at
                )
              ) end
            ))
            from variables.calculation_inputs as input
            cross join lateral (
              select alias, variable_key, variable_type
              from variables.variables
              where id = input.input_variable_id and project_id = input.project_id
              union all
              select alias, null, null
              from variables.constants
              where id = input.constant_id and project_id = input.project_id
              limit 1
            ) as read
            where input.variable_id = variable.id and input.calculation_id = piece.id
            order by input.position
          )
        ) order by piece.start_at)
        from (
          select id, start_at, expression, lead(start_at, 1, 'infinity') over (order by start_at) as end_at
          from variables.calculations
          where variable_id = variable.id and state.is_active
        ) as piece
      ), '[]') as pieces
    from unnest(${variableIds}::uuid[]) as wanted (id)
    cross join lateral (
      select id, variable_key, project_id, instrument_id, configuration_generation, value_type, archived_at
      from variables.variables where id = wanted.id
      limit 1
    ) as variable
    cross join lateral (
      select archived_at from variables.instruments
      where id = variable.instrument_id and project_id = variable.project_id
      limit 1
    ) as instrument
    cross join lateral (
      select calculation_version from variables.catalogs where project_id = variable.project_id limit 1
    ) as catalog
    cross join lateral (
      select variable.archived_at is null and instrument.archived_at is null as is_active
    ) as state`,
);

/** Says that a recalculation is over. All other changes are written by triggers. */
export const insertCancelledRun = statement(
  none,
  ({ projectId, runId }: { readonly projectId: string; readonly runId: string }) => sql`
    insert into variables.calculation_changes (project_id, cancelled_run_id) values (${projectId}, ${runId})`,
);

/** Takes out changes that a processor has taken over; those that are gone already are no matter. */
export const deleteCalculationChanges = statement(
  none,
  ({ ids }: { readonly ids: readonly number[] }) => sql`
    delete from variables.calculation_changes where id = any (${ids}::bigint[])`,
);
