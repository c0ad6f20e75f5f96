import type {
  CreateCalculatedVariableRequest,
  CreateIngestedVariableRequest,
  Variable,
  VariablePatch,
} from '@weir/proto/variables';
import { defaultViewOptions, type ViewOptions, viewOptions } from '@weir/variable-shapes';
import { z } from 'zod';
import { idText } from './answers.js';
import {
  calculationExample,
  calculationOutput,
  calculationsInput,
  fromCalculation,
  toCalculationJson,
} from './calculations.js';
import type { Patch } from './patches.js';
import { exampleIds, recordExample, recordSchema, toRecordJson } from './records.js';
import { aliasText, freeText, nameText } from './texts.js';

const valueType = z.enum(['decimal', 'integer', 'boolean']);
const cadence = z.int().min(1).max(2_147_483_647);

/** What a client says of an ingested variable. */
export const ingestedVariableMembers = {
  name: nameText.meta({ description: 'Unique among the variables of the instrument, of both kinds.' }),
  alias: aliasText,
  unit: freeText.nullable(),
  expected_cadence_s: cadence.nullable().meta({ description: 'Expected seconds between two values.' }),
  is_time_variable: z.boolean(),
  value_type: valueType.meta({ description: 'Booleans are 0 and 1. Fixed once the variable was ingested into.' }),
  view_options: viewOptions,
};

/** What a client says of a calculated variable. */
export const calculatedVariableMembers = {
  ...ingestedVariableMembers,
  value_type: valueType.meta({ description: 'Booleans are 0 and 1.' }),
  calculations: calculationsInput,
};

const { name } = ingestedVariableMembers;
/** What a client says of a new ingested variable. */
export const newIngestedVariable = z.strictObject(ingestedVariableMembers).partial().extend({ name });
/** What a client says of a new calculated variable. */
export const newCalculatedVariable = z
  .strictObject(calculatedVariableMembers)
  .partial()
  .extend({ name, calculations: calculatedVariableMembers.calculations });

const members = {
  instrument_id: idText,
  name: z.string(),
  alias: z.string().meta({ description: 'Names it in expressions.' }),
  unit: z.string().nullable(),
  expected_cadence_s: z.int().nullable(),
  is_time_variable: z.boolean(),
  configuration_generation: z.int().min(0).meta({ description: 'Rises with every change that can change values.' }),
  value_type: valueType,
  view_options: viewOptions,
};

const ingestedSchema = recordSchema('IngestedVariable', { variable_type: z.literal('ingested'), ...members });
const calculatedSchema = recordSchema('CalculatedVariable', {
  variable_type: z.literal('calculated'),
  ...members,
  calculations: z.array(calculationOutput).meta({ description: 'In ascending order of `start_time`.' }),
});

type IngestedJson = z.output<typeof ingestedSchema>;
type CalculatedJson = z.output<typeof calculatedSchema>;

const ingestedExample: IngestedJson = recordExample(exampleIds.variable, {
  variable_type: 'ingested',
  instrument_id: exampleIds.instrument,
  name: 'water level',
  alias: 'water_level',
  unit: 'm',
  expected_cadence_s: 600,
  is_time_variable: false,
  configuration_generation: 1,
  value_type: 'decimal',
  view_options: defaultViewOptions,
});

const calculatedExample: CalculatedJson = recordExample(exampleIds.calculated, {
  variable_type: 'calculated',
  instrument_id: exampleIds.instrument,
  name: 'discharge',
  alias: 'discharge',
  unit: 'm³/s',
  expected_cadence_s: 600,
  is_time_variable: false,
  configuration_generation: 1,
  value_type: 'decimal',
  view_options: defaultViewOptions,
  calculations: [calculationExample],
});

/** An ingested variable in answers. */
export const ingestedVariableShape = { schema: ingestedSchema, example: ingestedExample };
/** A calculated variable in answers. */
export const calculatedVariableShape = { schema: calculatedSchema, example: calculatedExample };
/** A variable of either kind in answers. */
export const variableShape = {
  schema: z.discriminatedUnion('variable_type', [ingestedSchema, calculatedSchema]),
  example: ingestedExample as IngestedJson | CalculatedJson,
};

function toMembers(variable: Variable) {
  return {
    instrument_id: variable.instrumentId,
    name: variable.name,
    alias: variable.alias,
    unit: variable.unit ?? null,
    expected_cadence_s: variable.expectedCadenceS ?? null,
    is_time_variable: variable.isTimeVariable,
    configuration_generation: variable.configurationGeneration,
    value_type: variable.valueType as z.output<typeof valueType>,
    view_options: JSON.parse(variable.viewOptionsJson) as ViewOptions,
  };
}

/** An ingested variable as it is answered. */
export function toIngestedVariableJson(variable: Variable): IngestedJson {
  return toRecordJson(variable, { variable_type: 'ingested' as const, ...toMembers(variable) });
}

/** A calculated variable as it is answered. */
export function toCalculatedVariableJson(variable: Variable): CalculatedJson {
  return toRecordJson(variable, {
    variable_type: 'calculated' as const,
    ...toMembers(variable),
    calculations: variable.calculations.map(toCalculationJson),
  });
}

/** A variable of either kind as it is answered. */
export function toVariableJson(variable: Variable): IngestedJson | CalculatedJson {
  return variable.variableType === 'calculated' ? toCalculatedVariableJson(variable) : toIngestedVariableJson(variable);
}

/** A new ingested variable as the service takes it. */
export function fromNewIngestedVariable(
  variable: z.output<typeof newIngestedVariable>,
): Omit<CreateIngestedVariableRequest, 'projectId' | 'instrumentId' | 'actor'> {
  return {
    name: variable.name,
    alias: variable.alias ?? '',
    unit: variable.unit ?? undefined,
    expectedCadenceS: variable.expected_cadence_s ?? undefined,
    isTimeVariable: variable.is_time_variable ?? false,
    valueType: variable.value_type ?? '',
    viewOptionsJson: variable.view_options === undefined ? '' : JSON.stringify(variable.view_options),
  };
}

/** A new calculated variable as the service takes it. */
export function fromNewCalculatedVariable(
  variable: z.output<typeof newCalculatedVariable>,
): Omit<CreateCalculatedVariableRequest, 'projectId' | 'instrumentId' | 'actor'> {
  return { ...fromNewIngestedVariable(variable), calculations: variable.calculations.map(fromCalculation) };
}

/** Changes of an ingested variable as the service takes them. */
export function fromIngestedVariablePatch({ given, cleared }: Patch<typeof ingestedVariableMembers>): VariablePatch {
  return {
    name: given.name,
    alias: given.alias,
    unit: given.unit,
    expectedCadenceS: given.expected_cadence_s,
    isTimeVariable: given.is_time_variable,
    valueType: given.value_type,
    viewOptionsJson: given.view_options && JSON.stringify(given.view_options),
    calculations: undefined,
    cleared,
  };
}

/** Changes of a calculated variable as the service takes them. */
export function fromCalculatedVariablePatch(patch: Patch<typeof calculatedVariableMembers>): VariablePatch {
  const { calculations } = patch.given;
  return {
    ...fromIngestedVariablePatch(patch),
    calculations: calculations && { items: calculations.map(fromCalculation) },
  };
}
