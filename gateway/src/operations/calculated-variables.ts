import type { Variable } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import { expressionLanguage } from '../openapi/expression-language.js';
import { newCalculationExample } from '../schemas/calculations.js';
import { recalculating } from '../schemas/recalculations.js';
import {
  calculatedVariableMembers,
  calculatedVariableShape,
  fromCalculatedVariablePatch,
  fromNewCalculatedVariable,
  newCalculatedVariable,
  toCalculatedVariableJson,
} from '../schemas/variables.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

const variableType = 'calculated';

function toJson({ variable }: { readonly variable: Variable | undefined }) {
  return toCalculatedVariableJson(present(variable));
}

function toWrittenJson(answer: { readonly variable: Variable | undefined; readonly recalculationBatchRunId: string }) {
  return { resource: toJson(answer), recalculation_batch_run_id: answer.recalculationBatchRunId };
}

/** The operations on calculated variables. */
export function calculatedVariablesOperations(
  dependencies: FamilyDependencies & { readonly variables: Clients['variables'] },
): readonly Operation[] {
  const { variables } = dependencies;
  const family = recordFamily(
    {
      name: 'calculated_variables',
      tag: 'Calculated variables',
      one: 'a calculated variable',
      many: 'calculated variables',
      collection: '/instruments/{instrument_id}/calculated-variables',
      id: 'variable_id',
      record: calculatedVariableShape,
      written: recalculating(calculatedVariableShape),
    },
    dependencies,
  );
  const { example } = calculatedVariableShape;
  const calculations = [newCalculationExample];
  return [
    family.list({ filters: {} }, async ({ key, options }, page) => {
      const found = await variables.searchVariables({ ...key, ...page, variableType }, options);
      return { items: found.variables.map(toCalculatedVariableJson), nextAfter: found.nextAfter };
    }),
    family.create(
      {
        body: newCalculatedVariable,
        example: { name: example.name, alias: example.alias, unit: example.unit, calculations },
        description: `\`name\` and \`calculations\` are required.\n\n${expressionLanguage}`,
        errors: ['dependency_conflict'],
      },
      async ({ key, actor, options }, variable) =>
        toWrittenJson(
          await variables.createCalculatedVariable({ ...key, ...fromNewCalculatedVariable(variable), actor }, options),
        ),
    ),
    family.read(async ({ key, options }, includeArchived) =>
      toJson(await variables.getVariable({ ...key, variableType, includeArchived }, options)),
    ),
    family.update(
      {
        members: calculatedVariableMembers,
        example: { expected_revision: 1, calculations },
        description:
          'An alias that an expression uses is not changed. A change of `calculations` recalculates where another one applies, or reads something else, and one of `value_type` everything. Expressions are described where variables are created.',
        errors: ['dependency_conflict'],
      },
      async ({ key, actor, options }, patch) => {
        const { expectedRevision } = patch;
        const request = { ...key, expectedRevision, patch: fromCalculatedVariablePatch(patch), actor };
        return toWrittenJson(await variables.updateCalculatedVariable(request, options));
      },
    ),
    family.archive(
      async ({ key, actor, options }) =>
        toJson(await variables.archiveVariable({ ...key, variableType, actor }, options)),
      { description: 'A variable that an active calculation reads is not archived.', errors: ['dependency_conflict'] },
    ),
    family.restore(
      async ({ key, actor, options }) =>
        toWrittenJson(await variables.restoreVariable({ ...key, variableType, actor }, options)),
      { errors: ['dependency_conflict'] },
    ),
  ];
}
