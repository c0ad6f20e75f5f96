import { type NewWidget, type Reference, referencesOf, type SavedWidget } from '@weir/dashboard-shapes';
import { errorDetailsMax, faultError, WeirError } from '@weir/kit/errors';
import type { RpcOptions } from '@weir/kit/rpc';
import type { Clients } from '../clients/clients.js';
import { referencesMax, type UnavailableReference } from '../schemas/dashboards.js';

/** The part of the variables client that tells what there is. */
export type ReferencesClient = Pick<Clients['variables'], 'findReferences'>;

type Kind = Reference['kind'];

const types = { variable: 'variable', instrument: 'instrument', group: 'instrument_group' } as const;

/** Whether each of the records that exist is archived, by kind and id. */
type Found = ReadonlyMap<string, boolean>;

/** Finds what references name. Whatever their number, the service is asked once. */
async function findAll(
  client: ReferencesClient,
  projectId: string,
  references: readonly Reference[],
  options: RpcOptions,
): Promise<Found> {
  if (references.length === 0) return new Map();
  const idsOf = (kind: Kind) => [
    ...new Set(references.flatMap((reference) => (reference.kind === kind ? [reference.id] : []))),
  ];
  const request = {
    projectId,
    variableIds: idsOf('variable'),
    instrumentIds: idsOf('instrument'),
    groupIds: idsOf('group'),
  };
  const { variables, instruments, groups } = await client.findReferences(request, options);
  const found = { variable: variables, instrument: instruments, group: groups };
  return new Map(
    Object.entries(found).flatMap(([kind, all]) => all.map(({ id, isArchived }) => [`${kind} ${id}`, isArchived])),
  );
}

/**
 * Refuses widgets that name what the project does not have. What is archived may be named: it may come back.
 *
 * @param refuseFirst - refuses what is to be told before what they name
 * @returns what they name
 * @throws WeirError `invalid_request` naming the place of each
 */
export async function checkReferences(
  client: ReferencesClient,
  projectId: string,
  widgets: readonly NewWidget[],
  options: RpcOptions,
  refuseFirst?: () => Promise<unknown>,
): Promise<Found> {
  const references = referencesOf(widgets);
  if (references.length > referencesMax) {
    const message = `Widgets of one dashboard may name ${referencesMax} records in all, not ${references.length}.`;
    throw faultError('invalid_request', { path: '/widgets', code: 'out_of_range', message });
  }
  const found = await findAll(client, projectId, references, options);
  const unknown = references.filter(({ kind, id }) => !found.has(`${kind} ${id}`));
  if (unknown.length === 0) return found;
  await refuseFirst?.();
  const details = unknown.slice(0, errorDetailsMax).map(({ kind, path }) => ({
    path,
    code: 'not_found',
    message: `There is no such ${types[kind].replace('_', ' ')} in the project; give the id of one.`,
  }));
  throw new WeirError('invalid_request', 'Widgets name what the project does not have; the details say where.', {
    details,
  });
}

/** Finds what saved widgets name. */
export async function findReferences(
  client: ReferencesClient,
  projectId: string,
  widgets: readonly SavedWidget[],
  options: RpcOptions,
): Promise<Found> {
  return await findAll(client, projectId, referencesOf(widgets), options);
}

/** What saved widgets name and what cannot be shown now. */
export function unavailableReferences(widgets: readonly SavedWidget[], found: Found): UnavailableReference[] {
  return referencesOf(widgets).flatMap(({ kind, id, path }) => {
    const isArchived = found.get(`${kind} ${id}`);
    return isArchived === false
      ? []
      : [
          {
            path,
            type: types[kind],
            id,
            reason: isArchived === undefined ? ('missing' as const) : ('archived' as const),
          },
        ];
  });
}
