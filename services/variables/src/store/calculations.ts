import { sql, sqlInstant, statement } from '@weir/kit/sql';
import { z } from 'zod';
import { type Calculation, inputKinds, tokenKinds } from '../domain/calculation.js';

interface OfVariable {
  readonly projectId: string;
  readonly variableId: string;
}

const none = z.object({});

const calculation = z.object({
  id: z.string(),
  startTimeUs: z.number(),
  expression: z.string(),
  editorTokens: z.array(z.object({ kind: z.enum(tokenKinds), text: z.string() })),
  inputs: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(inputKinds),
      variableId: z.string().optional(),
      constantId: z.string().optional(),
      sourceInstrumentId: z.string().optional(),
      pastBufferSeconds: z.number().optional(),
    }),
  ),
});

/**
 * The calculations of variables of the project, in ascending order of start; variables that have none are
 * left out. Here and in other stores each `limit` or `offset` keeps its lookup one by one, as in `names.ts`.
 */
export const selectCalculations = statement(
  z.object({ variableId: z.string(), calculations: z.array(calculation) }),
  ({ projectId, variableIds }: { readonly projectId: string; readonly variableIds: readonly string[] }) => sql`
    select calculation.variable_id, json_agg(json_build_object(
      'id', calculation.id,
      'startTimeUs', (extract(epoch from calculation.start_at) * 1000000)::bigint,
      'expression', calculation.expression,
      'editorTokens', calculation.editor_tokens,
      'inputs', array(
        select json_strip_nulls(json_build_object(
          'id', input.id,
          'kind', input.kind,
          'variableId', input.input_variable_id,
          'constantId', input.constant_id,
          'sourceInstrumentId', input.source_instrument_id,
          'pastBufferSeconds', input.past_buffer_s
        ))
        from variables.calculation_inputs as input
        where input.variable_id = calculation.variable_id and input.calculation_id = calculation.id
        order by input.position
      )
    ) order by calculation.start_at) as calculations
    from unnest(${variableIds}::uuid[]) as wanted (id)
    cross join lateral (
      select project_id, variable_id, id, start_at, expression, editor_tokens
      from variables.calculations where variable_id = wanted.id
      offset 0
    ) as calculation
    where calculation.project_id = ${projectId}
    group by calculation.variable_id`,
);

/** Removes the calculations of a variable, with their inputs. */
export const deleteCalculations = statement(
  none,
  ({ projectId, variableId }: OfVariable) => sql`
    delete from variables.calculations where project_id = ${projectId} and variable_id = ${variableId}`,
);

/** Adds calculations of a variable, without their inputs. */
export const insertCalculations = statement(
  none,
  ({ projectId, variableId, calculations }: OfVariable & { readonly calculations: readonly Calculation[] }) => sql`
    insert into variables.calculations (project_id, variable_id, id, start_at, expression, editor_tokens)
    select ${projectId}, ${variableId}, calculation.id, calculation.start_at, calculation.expression,
      calculation.editor_tokens::jsonb
    from unnest(
      ${calculations.map(({ id }) => id)}::text[],
      ${calculations.map(({ startTimeUs }) => sqlInstant(startTimeUs))}::timestamptz[],
      ${calculations.map(({ expression }) => expression)}::text[],
      ${calculations.map(({ editorTokens }) => JSON.stringify(editorTokens))}::text[]
    ) as calculation (id, start_at, expression, editor_tokens)`,
);

/** Adds what calculations of a variable read. */
export const insertCalculationInputs = statement(
  none,
  ({ projectId, variableId, inputs }: OfVariable & { readonly inputs: readonly PlacedInput[] }) => sql`
    insert into variables.calculation_inputs
      (project_id, variable_id, calculation_id, position, id, kind, input_variable_id, constant_id,
       source_instrument_id, past_buffer_s)
    select ${projectId}, ${variableId}, input.calculation_id, input.position, input.id, input.kind,
      input.variable_id, input.constant_id, input.source_instrument_id, input.past_buffer_s
    from unnest(
      ${inputs.map(({ calculationId }) => calculationId)}::text[],
      ${inputs.map(({ position }) => position)}::smallint[],
      ${inputs.map(({ id }) => id)}::text[],
      ${inputs.map(({ kind }) => kind)}::text[],
      ${inputs.map(({ variableId: id }) => id)}::uuid[],
      ${inputs.map(({ constantId }) => constantId)}::uuid[],
      ${inputs.map(({ sourceInstrumentId }) => sourceInstrumentId)}::uuid[],
      ${inputs.map(({ pastBufferSeconds }) => pastBufferSeconds)}::double precision[]
    ) as input
      (calculation_id, position, id, kind, variable_id, constant_id, source_instrument_id, past_buffer_s)`,
);

type PlacedInput = Calculation['inputs'][number] & { readonly calculationId: string; readonly position: number };
