import type { RpcOptions } from '@weir/kit/rpc';
import type { Variable } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import {
  fromIngestedVariablePatch,
  fromNewIngestedVariable,
  ingestedVariableMembers,
  ingestedVariableShape,
  newIngestedVariable,
  toIngestedVariableJson,
} from '../schemas/variables.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

interface IngestedVariablesDependencies extends FamilyDependencies {
  readonly variables: Clients['variables'];
  readonly observations: Pick<Clients['observations'], 'getLatestObservations'>;
}

const variableType = 'ingested';

function toJson({ variable }: { readonly variable: Variable | undefined }) {
  return toIngestedVariableJson(present(variable));
}

/** Whether a variable was ever ingested into, which fixes the type of its values. */
async function hasObservations(
  { variables, observations }: IngestedVariablesDependencies,
  key: { readonly projectId: string; readonly instrumentId: string; readonly variableId: string },
  options: RpcOptions,
): Promise<boolean> {
  const { variable } = await variables.getVariable({ ...key, variableType, includeArchived: true }, options);
  const request = { projectId: key.projectId, variableKeys: [present(variable).variableKey] };
  return (await observations.getLatestObservations(request, options)).observations.length > 0;
}

/** The operations on ingested variables. */
export function ingestedVariablesOperations(dependencies: IngestedVariablesDependencies): readonly Operation[] {
  const { variables } = dependencies;
  const family = recordFamily(
    {
      name: 'ingested_variables',
      tag: 'Ingested variables',
      one: 'an ingested variable',
      many: 'ingested variables',
      collection: '/instruments/{instrument_id}/ingested-variables',
      id: 'variable_id',
      record: ingestedVariableShape,
      written: ingestedVariableShape,
    },
    dependencies,
  );
  const { example } = ingestedVariableShape;
  return [
    family.list({ filters: {} }, async ({ key, options }, page) => {
      const found = await variables.searchVariables({ ...key, ...page, variableType }, options);
      return { items: found.variables.map(toIngestedVariableJson), nextAfter: found.nextAfter };
    }),
    family.create(
      {
        body: newIngestedVariable,
        example: {
          name: example.name,
          alias: example.alias,
          unit: example.unit,
          expected_cadence_s: example.expected_cadence_s,
          value_type: example.value_type,
        },
        description: 'Only `name` is required. Values are decimals unless `value_type` says otherwise.',
      },
      async ({ key, actor, options }, variable) =>
        toJson(
          await variables.createIngestedVariable({ ...key, ...fromNewIngestedVariable(variable), actor }, options),
        ),
    ),
    family.read(async ({ key, options }, includeArchived) =>
      toJson(await variables.getVariable({ ...key, variableType, includeArchived }, options)),
    ),
    family.update(
      {
        members: ingestedVariableMembers,
        example: { expected_revision: 1, unit: 'cm', expected_cadence_s: null },
        description: 'An alias that an expression uses is not changed.',
        errors: ['dependency_conflict', 'query_too_large'],
      },
      async ({ key, actor, options }, patch) => {
        const isTyped = patch.given.value_type !== undefined;
        const request = {
          ...key,
          expectedRevision: patch.expectedRevision,
          patch: fromIngestedVariablePatch(patch),
          actor,
          hasObservations: isTyped && (await hasObservations(dependencies, key, options)),
        };
        return toJson(await variables.updateIngestedVariable(request, options));
      },
    ),
    family.archive(
      async ({ key, actor, options }) =>
        toJson(await variables.archiveVariable({ ...key, variableType, actor }, options)),
      { description: 'A variable that an active calculation reads is not archived.', errors: ['dependency_conflict'] },
    ),
    family.restore(async ({ key, actor, options }) =>
      toJson(await variables.restoreVariable({ ...key, variableType, actor }, options)),
    ),
  ];
}
