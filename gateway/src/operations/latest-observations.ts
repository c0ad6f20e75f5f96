import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import { formatInstant } from '@weir/kit/time';
import type { Variable } from '@weir/proto/variables';
import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import { type Operation, operation, type QueryRule } from '../http/operation.js';
import { boolean, id, idList, instant, optional, required, withDefault } from '../http/parameters.js';
import { idText, instantText, pageOf } from '../schemas/answers.js';
import { clampAsOf } from '../schemas/ranges.js';
import { readVariables, type VariablesClient, variablesAskedMax } from './observed-variables.js';

const variableIdExample = '019c139f-2c00-7000-8000-2f5f2c7c1100';

const latest = z.strictObject({
  variable_id: idText,
  instrument_id: idText,
  unit: z.string().nullable(),
  timestamp: instantText.nullable().meta({ description: 'Null when the variable has no observation.' }),
  value: z.number().nullable(),
});

/** What the query names: variables by id, or those of an instrument. */
interface Selection {
  readonly variableIds: readonly string[] | undefined;
  readonly instrumentId: string | undefined;
  readonly includeArchived: boolean;
}

const selectionRule: QueryRule = {
  of: ['variable_id', 'instrument_id'],
  code: 'exclusive',
  faultOf: (query) =>
    (query['variable_id'] === undefined) === (query['instrument_id'] === undefined)
      ? 'Give either variable_id or instrument_id.'
      : undefined,
};

async function selectVariables(
  client: VariablesClient,
  projectId: string,
  { variableIds, instrumentId, includeArchived }: Selection,
  call: RpcOptions,
): Promise<readonly Variable[]> {
  if (variableIds !== undefined)
    return await readVariables(client, { projectId, ids: variableIds, includeArchived }, call);
  const ofInstrument = instrumentId?.toLowerCase() ?? '';
  if (!isId(ofInstrument)) throw notFound('instrument');
  const request = { projectId, variableIds: [], instrumentId: ofInstrument, includeArchived };
  return (await client.listVariables(request, call)).variables;
}

/** The operation that reads the last observation of variables. */
export function latestObservationsOperations(dependencies: {
  readonly variables: VariablesClient;
  readonly observations: Pick<Clients['observations'], 'getLatestObservations'>;
}): readonly Operation[] {
  const { variables, observations } = dependencies;
  return [
    operation({
      id: 'developerapi_observations_latest',
      method: 'GET',
      path: '/dev-api/v1/p/{project_id}/observations/latest',
      tag: 'Observations',
      summary: 'Read the last observations',
      description:
        'The observation with the greatest instant of each variable (never the one received last): of the ' +
        'variables asked, in their order, or of all variables of an instrument, in the order of their creation. ' +
        'Give either `variable_id` or `instrument_id`.',
      auth: 'developer',
      permission: 'developer_api.observations.read',
      params: { project_id: required(id, 'Id of the project that the key belongs to.') },
      query: {
        variable_id: optional(
          idList(1, variablesAskedMax),
          'The variables, in the order of the answer.',
          variableIdExample,
        ),
        instrument_id: optional(id, 'The instrument whose variables are read.'),
        as_of: optional(instant, 'Only observations at this instant or before it.'),
        include_archived: withDefault(boolean, false, 'Whether archived variables and instruments may be read.'),
      },
      queryRules: [selectionRule],
      success: {
        status: 200,
        schema: pageOf(latest),
        example: {
          items: [
            {
              variable_id: variableIdExample,
              instrument_id: '019c139f-2c00-7000-8000-1e4e1b6b0011',
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
        const selection = {
          variableIds: query.variable_id,
          instrumentId: query.instrument_id,
          includeArchived: query.include_archived,
        };
        const found = await selectVariables(variables, projectId, selection, call);
        const variableKeys = found.map((variable) => variable.variableKey);
        const request = { projectId, variableKeys, asOfUs: clampAsOf(query.as_of) };
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
      },
    }),
  ];
}
