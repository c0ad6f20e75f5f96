import { WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import type { Variable } from '@weir/proto/variables';
import { LRUCache } from 'lru-cache';
import type { Clients } from './clients.js';

/** Variables that one read may name. */
export const variablesAskedMax = 50;

/** The part of the variables client that reads of observations use. */
export type VariablesClient = Pick<Clients['variables'], 'listVariables'>;

/** What reads of observations use of a variable. */
export type ObservedVariable = Pick<
  Variable,
  'id' | 'variableKey' | 'instrumentId' | 'name' | 'unit' | 'expectedCadenceS'
>;

/** Variables that a read names by their ids. */
export interface AskedVariables {
  readonly projectId: string;
  readonly ids: readonly string[];
  readonly includeArchived: boolean;
}

interface Remembered {
  readonly variable: ObservedVariable;
  readonly generation: number;
}

const rememberedMax = 100_000;
/** While a service of an older release runs, which changes a unit without a new generation, it may be told for so long. */
const rememberedMs = 60_000;

/** What is remembered of all variables of a read. */
interface Known {
  readonly variables: readonly ObservedVariable[];
  readonly generation: number;
}

const keyOf = ({ projectId, includeArchived }: AskedVariables, id: string): string =>
  `${projectId} ${includeArchived} ${id}`;

function toObserved({ id, variableKey, instrumentId, name, unit, expectedCadenceS }: Variable): ObservedVariable {
  return { id, variableKey, instrumentId, name, unit, expectedCadenceS };
}

/** The different ids that are asked, in their order. */
const idsOf = ({ ids }: AskedVariables): readonly string[] => [...new Set(ids.map((id) => id.toLowerCase()))];

/** Every id must name a variable. @throws WeirError `not_found`; the details say which place of the list one has that does not */
function requireAll(ids: readonly string[], byId: ReadonlyMap<string, ObservedVariable>): readonly ObservedVariable[] {
  const details = ids.flatMap((id, index) =>
    byId.has(id)
      ? []
      : [
          {
            path: 'query/variable_id',
            code: 'not_found',
            message: `Id ${index + 1} of the list names no variable of the project.`,
          },
        ],
  );
  if (details.length > 0) throw new WeirError('not_found', 'There is no such variable.', { details });
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/**
 * The variables that reads name. They are remembered by the generation of the project's catalog, and each read asks
 * whether that is still the present one, beside its own work: so nothing that was changed before a read is missed,
 * and a read of variables that are known waits for no other service than the one that has its observations.
 */
export class ObservedVariables {
  readonly #client: VariablesClient;
  readonly #remembered = new LRUCache<string, Remembered>({ max: rememberedMax, ttl: rememberedMs });

  constructor(client: VariablesClient) {
    this.#client = client;
  }

  /**
   * What `read` makes of the variables that ids name, in their order, each once however often and in whatever case it is
   * named. It is called again when it was given some that are no longer true.
   *
   * @throws WeirError `not_found` when an id names none
   */
  async read<T>(
    asked: AskedVariables,
    call: RpcOptions,
    read: (variables: readonly ObservedVariable[]) => Promise<T>,
  ): Promise<T> {
    const known = this.#recall(asked);
    if (known === undefined) return await read(await this.#ask(asked, undefined, call));
    const answer = read(known.variables);
    // what comes of it is of no interest when the variables turn out to be others
    answer.catch(() => undefined);
    const present = await this.#ask(asked, known, call);
    return present === known.variables ? await answer : await read(present);
  }

  /** The variables that ids name, as they are now. @throws WeirError `not_found` when an id names none */
  async list(asked: AskedVariables, call: RpcOptions): Promise<readonly ObservedVariable[]> {
    return await this.#ask(asked, this.#recall(asked), call);
  }

  /** All that are asked, when all are remembered as of one generation. */
  #recall(asked: AskedVariables): Known | undefined {
    const variables: ObservedVariable[] = [];
    let generation: number | undefined;
    for (const id of idsOf(asked)) {
      const found = this.#remembered.get(keyOf(asked, id));
      if (found === undefined || found.generation !== (generation ?? found.generation)) return undefined;
      generation = found.generation;
      variables.push(found.variable);
    }
    return generation === undefined ? undefined : { variables, generation };
  }

  /** The same ones as known when they still are as they were. */
  async #ask(asked: AskedVariables, known: Known | undefined, call: RpcOptions): Promise<readonly ObservedVariable[]> {
    const { projectId, includeArchived } = asked;
    const ids = idsOf(asked);
    // an id that is no UUID names nothing, which is no reason to bother the service with it
    const variableIds = ids.filter(isId);
    const knownGeneration = known?.generation ?? 0;
    const { variables, generation } =
      variableIds.length === 0
        ? { variables: [], generation: 0 }
        : await this.#client.listVariables({ projectId, variableIds, includeArchived, knownGeneration }, call);
    if (known !== undefined && generation === known.generation) return known.variables;
    // a service of an older release tells no generation: then nothing is remembered
    if (generation !== 0) {
      for (const variable of variables)
        this.#remembered.set(keyOf(asked, variable.id), { variable: toObserved(variable), generation });
    }
    return requireAll(ids, new Map(variables.map((variable) => [variable.id, variable])));
  }
}
