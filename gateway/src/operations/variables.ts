import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import { id, oneOf, optional } from '../http/parameters.js';
import { toVariableJson, variableShape } from '../schemas/variables.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

/** The operations that show variables of both kinds. */
export function variablesOperations(
  dependencies: FamilyDependencies & { readonly variables: Clients['variables'] },
): readonly Operation[] {
  const { variables } = dependencies;
  const family = recordFamily(
    {
      name: 'variables',
      tag: 'Variables',
      one: 'a variable',
      many: 'variables',
      collection: '/variables',
      id: 'variable_id',
      record: variableShape,
      written: variableShape,
    },
    dependencies,
  );
  return [
    family.list(
      {
        filters: {
          instrument_id: optional(id, 'Only those of this instrument.'),
          variable_type: optional(oneOf('ingested', 'calculated'), 'Only those of this kind.'),
        },
        description: 'Both kinds in one list.',
        errors: ['not_found'],
      },
      async ({ key, options }, page, filters) => {
        const { instrument_id: instrumentId = '', variable_type: variableType = '' } = filters;
        const found = await variables.searchVariables({ ...key, ...page, instrumentId, variableType }, options);
        return { items: found.variables.map(toVariableJson), nextAfter: found.nextAfter };
      },
    ),
    family.read(async ({ key, options }, includeArchived) => {
      const { variable } = await variables.getVariable({ ...key, includeArchived }, options);
      return toVariableJson(present(variable));
    }),
  ];
}
