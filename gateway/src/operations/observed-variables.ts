import { WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import type { Variable } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';

/** Variables that one read may name. */
export const variablesAskedMax = 50;

/** The part of the variables client that reads of observations use. */
export type VariablesClient = Pick<Clients['variables'], 'listVariables'>;

/**
 * The variables that ids name, in their order; each once, however often and in whatever case it is named.
 *
 * @throws WeirError `not_found` when one names none; the details say which place of the list it has
 */
export async function readVariables(
  client: VariablesClient,
  request: { readonly projectId: string; readonly ids: readonly string[]; readonly includeArchived: boolean },
  call: RpcOptions,
): Promise<readonly Variable[]> {
  const { projectId, includeArchived } = request;
  const ids = [...new Set(request.ids.map((id) => id.toLowerCase()))];
  // an id that is no UUID names nothing, which is no reason to bother the service with it
  const variableIds = ids.filter(isId);
  const { variables } =
    variableIds.length === 0
      ? { variables: [] }
      : await client.listVariables({ projectId, variableIds, instrumentId: '', includeArchived }, call);
  const byId = new Map(variables.map((variable) => [variable.id, variable]));
  const found: Variable[] = [];
  const details: { path: string; code: string; message: string }[] = [];
  for (const [index, id] of ids.entries()) {
    const variable = byId.get(id);
    if (variable !== undefined) found.push(variable);
    else
      details.push({
        path: 'query/variable_id',
        code: 'not_found',
        message: `Id ${index + 1} of the list names no variable of the project.`,
      });
  }
  if (details.length > 0) throw new WeirError('not_found', 'There is no such variable.', { details });
  return found;
}
