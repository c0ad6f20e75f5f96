import { notFound, WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import { formatInstant } from '@weir/kit/time';
import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import {
  type ObservedVariable,
  type ObservedVariables,
  type VariablesClient,
  variablesAskedMax,
} from '../clients/observed-variables.js';
import { type Operation, operation, type QueryRule } from '../http/operation.js';
import { boolean, id, idList, instant, optional, required, withDefault } from '../http/parameters.js';
import { idText, instantText, pageOf } from '../schemas/answers.js';
import { clampAsOf } from '../schemas/ranges.js';
import { exampleIds } from '../schemas/records.js';

const latest = z.strictObject({
  variable_id: idText,
  instrument_id: idText,
  unit: z.string().nullable(),
  timestamp: instantText.nullable().meta({ description: 'Null when the variable has no observation.' }),
  value: z.number().nullable(),
});

/** Variables whose last observations one read answers. */
const variablesMax = 10_000;

const selectors = ['variable_id', 'instrument_id', 'group_id'] as const;

/** What the query names: variables by id, or those of an instrument or of a group of instruments. */
interface Selection {
  readonly variable_id: readonly string[] | undefined;
  readonly instrument_id: string | undefined;
  readonly group_id: string | undefined;
  readonly include_archived: boolean;
}

const selectionRule: QueryRule = {
  of: selectors,
  code: 'exclusive',
  faultOf: (query) =>
    selectors.filter((name) => query[name] !== undefined).length === 1
      ? undefined
      : `Give exactly one of ${selectors.join(', ')}.`,
};

/** The id of a record that a query names. @throws WeirError `not_found` when it is no UUID */
function readId(given: string | undefined, what: string): string {
  if (given !== undefined && !isId(given)) throw notFound(what);
  return given ?? '';
}

/** The variables of an instrument or of a group. */
async function readScope(
  client: VariablesClient,
  projectId: string,
  selection: Selection,
  call: RpcOptions,
): Promise<readonly ObservedVariable[]> {
  const { include_archived: includeArchived } = selection;
  const instrumentId = readId(selection.instrument_id, 'instrument');
  const groupId = readId(selection.group_id, 'instrument group');
  const { variables } = await client.listVariables({ projectId, instrumentId, groupId, includeArchived }, call);
  if (variables.length > variablesMax)
    throw new WeirError(
      'query_too_large',
      `There are ${variables.length} variables, and the last observations of ${variablesMax} are read at a time; ask ` +
        'instrument by instrument.',
    );
  return variables;
}

/** The operation that reads the last observation of variables. */
export function latestObservationsOperations(dependencies: {
  readonly variables: VariablesClient;
  readonly observed: ObservedVariables;
  readonly observations: Pick<Clients['observations'], 'getLatestObservations'>;
}): readonly Operation[] {
  const { variables, observed, observations } = dependencies;
  return [
    operation({
      id: 'developerapi_observations_latest',
      method: 'GET',
      path: '/dev-api/v1/p/{project_id}/observations/latest',
      tag: 'Observations',
      summary: 'Read the last observations',
      description:
        'The observation with the greatest instant of each variable (never the one received last): of the ' +
        'variables asked, in their order, or of all variables of an instrument or of the instruments of a group, in ' +
        `the order of their creation, ${variablesMax} at most. Give exactly one of \`variable_id\`, \`instrument_id\` and \`group_id\`.`,
      auth: 'developer',
      permission: 'developer_api.observations.read',
      params: { project_id: required(id, 'Id of the project that the key belongs to.') },
      query: {
        variable_id: optional(
          idList(1, variablesAskedMax),
          'The variables, in the order of the answer.',
          exampleIds.variable,
        ),
        instrument_id: optional(id, 'The instrument whose variables are read.'),
        group_id: optional(id, 'The group whose instruments are read.'),
        as_of: optional(instant, 'Only observations at this instant or before it.'),
        include_archived: withDefault(boolean, false, 'Whether archived variables and instruments may be read.'),
      },
      queryRules: [selectionRule],
      exampleQuery: ['variable_id'],
      success: {
        status: 200,
        schema: pageOf(latest),
        example: {
          items: [
            {
              variable_id: exampleIds.variable,
              instrument_id: exampleIds.instrument,
              unit: 'm',
              timestamp: '2026-01-31T12:10:00.000Z',
              value: 1.528,
            },
          ],
          next_cursor: null,
        },
      },
      errors: ['not_found', 'query_too_large'],
      handle: async ({ query, principal, requestId, signal }) => {
        const { projectId } = principal;
        const call = { requestId, signal };
        const { variable_id: ids, include_archived: includeArchived, as_of: asOf } = query;
        const read = async (found: readonly ObservedVariable[]) => {
          const variableKeys = found.map((variable) => variable.variableKey);
          const request = { projectId, variableKeys, asOfUs: clampAsOf(asOf) };
          const answer =
            variableKeys.length === 0 ? { observations: [] } : await observations.getLatestObservations(request, call);
          const byKey = new Map(answer.observations.map((observation) => [observation.variableKey, observation]));
          const items = found.map((variable): z.output<typeof latest> => {
            const observation = byKey.get(variable.variableKey);
            return {
              variable_id: variable.id,
              instrument_id: variable.instrumentId,
              unit: variable.unit ?? null,
              timestamp: observation === undefined ? null : formatInstant(observation.atUs),
              value: observation?.value ?? null,
            };
          });
          return { items, next_cursor: null };
        };
        return ids === undefined
          ? await read(await readScope(variables, projectId, query, call))
          : await observed.read({ projectId, ids, includeArchived }, call, read);
      },
    }),
  ];
}
