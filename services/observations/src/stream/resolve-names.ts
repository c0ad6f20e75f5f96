import type { RpcClient } from '@weir/kit/rpc';
import { isRunErrorCode, type RunErrorCode } from '@weir/kit/run-codes';
import type { Channel } from '@weir/points';
import type { ResolvedInstrument, ResolvedVariable, VariablesServiceDefinition } from '@weir/proto/variables';
import type { Resolution, ValueType } from '../domain/resolution.js';
import type { ProcessorEvents } from '../events.js';

/** Names of one batch, and by whose right what is missing may be created. */
export interface NamesToResolve {
  readonly provisioning: string;
  readonly connectionId: string;
  readonly channels: readonly Channel[];
}

/** Creating many names at once takes longer than a call may as a rule. */
const resolveTimeoutMs = 20_000;
/** So many variables the variables service tells of in one call. */
const idsPerCall = 1000;
/** Names that are remembered at most, of all projects. */
const namesRemembered = 500_000;

/** What names meant when they were last asked for, by batch and channel. */
export interface RecalledNames {
  readonly resolutions: Resolution[][];
  /** Whether they mean the same now. */
  readonly isCurrent: Promise<boolean>;
}

/** What names mean, by instrument and variable. */
class Names {
  readonly #instruments = new Map<string, Map<string, Resolution>>();
  count = 0;

  get({ siteId, instrumentName, variableName }: Channel): Resolution | undefined {
    return this.#instruments.get(`${siteId ?? ''}\0${instrumentName}`)?.get(variableName);
  }

  set({ siteId, instrumentName, variableName }: Channel, resolution: Resolution): void {
    const key = `${siteId ?? ''}\0${instrumentName}`;
    let variables = this.#instruments.get(key);
    if (variables === undefined) {
      variables = new Map();
      this.#instruments.set(key, variables);
    }
    if (!variables.has(variableName)) this.count++;
    variables.set(variableName, resolution);
  }
}

/** What is known of a project's catalog, as of a generation. */
interface Catalog {
  readonly generation: number;
  readonly names: Names;
}

/** Batches of one connection under one policy, with the names that are not known. */
interface Asker {
  readonly provisioning: string;
  readonly connectionId: string;
  /** By instrument. */
  readonly missing: Map<string, Map<string, Channel>>;
  readonly answers: Names;
}

function toCode(code: string): RunErrorCode {
  return isRunErrorCode(code) ? code : 'processing_error';
}

function toSeries({
  variableKey,
  variableId,
  instrumentId,
  valueType,
  configurationGeneration,
}: Omit<ResolvedVariable, 'errorCode'> & Pick<ResolvedInstrument, 'instrumentId'>): Resolution {
  return {
    kind: 'series',
    variableKey,
    variableId,
    instrumentId,
    valueType: valueType as ValueType,
    generation: configurationGeneration,
  };
}

function toResolution(instrument: ResolvedInstrument | undefined, position: number): Resolution {
  if (instrument === undefined) throw new Error('the variables service left out an instrument');
  if (instrument.errorCode !== '') return { kind: 'no_instrument', code: toCode(instrument.errorCode) };
  const variable = instrument.variables[position];
  if (variable === undefined) throw new Error('the variables service left out a variable');
  if (variable.errorCode !== '') return { kind: 'no_variable', code: toCode(variable.errorCode) };
  return toSeries({ ...variable, instrumentId: instrument.instrumentId });
}

/** The askers of batches, and which is whose, by batch. */
function toAskers(batches: readonly NamesToResolve[], known: Names | undefined): Asker[] {
  const askers = new Map<string, Asker>();
  return batches.map(({ provisioning, connectionId, channels }) => {
    const key = `${provisioning}\0${connectionId}`;
    const asker = askers.get(key) ?? { provisioning, connectionId, missing: new Map(), answers: new Names() };
    askers.set(key, asker);
    for (const channel of channels) {
      if (known?.get(channel) !== undefined) continue;
      const instrument = `${channel.siteId ?? ''}\0${channel.instrumentName}`;
      const variables = asker.missing.get(instrument) ?? new Map<string, Channel>();
      asker.missing.set(instrument, variables.set(channel.variableName, channel));
    }
    return asker;
  });
}

function toResolutions(
  batches: readonly NamesToResolve[],
  askers: readonly Asker[],
  known: Names | undefined,
): Resolution[][] {
  return batches.map(({ channels }, number) =>
    channels.map((channel) => {
      const resolution = known?.get(channel) ?? askers[number]?.answers.get(channel);
      if (resolution === undefined) throw new Error('a name was neither known nor asked');
      return resolution;
    }),
  );
}

/**
 * Resolves names of points by the variables service and remembers the series that they mean, for as
 * long as the project's catalog stays at its generation. What could not be had is asked again.
 */
export class NameResolver {
  readonly #variables: RpcClient<VariablesServiceDefinition>;
  readonly #events: Pick<ProcessorEvents, 'namesLookedUp'>;
  readonly #namesMax: number;
  readonly #catalogs = new Map<string, Catalog>();
  /** Names of all catalogs. */
  #count = 0;

  constructor(
    variables: RpcClient<VariablesServiceDefinition>,
    events: Pick<ProcessorEvents, 'namesLookedUp'>,
    namesMax = namesRemembered,
  ) {
    this.#variables = variables;
    this.#events = events;
    this.#namesMax = namesMax;
  }

  /**
   * What the names of batches of one project are remembered to mean, while one call finds out whether the catalog has
   * changed. Undefined unless all of them are remembered.
   */
  recall(projectId: string, batches: readonly NamesToResolve[]): RecalledNames | undefined {
    const known = this.#catalogs.get(projectId);
    const askers = toAskers(batches, known?.names);
    const [first] = askers;
    if (known === undefined || first === undefined || askers.some(({ missing }) => missing.size > 0)) return undefined;
    this.#events.namesLookedUp({ areKnown: true });
    const isCurrent = this.#ask(projectId, first, known.generation).then((generation) =>
      this.#isCurrent(projectId, known, generation),
    );
    // who waits for it is told of a failure; whoever fails before that does not wait
    isCurrent.catch(() => undefined);
    return { resolutions: toResolutions(batches, askers, known.names), isCurrent };
  }

  /**
   * What the names of batches of one project mean, in their order, by channel. One call a project
   * and connection that brings unknown names, and one that checks the generation when none does.
   */
  async resolve(projectId: string, batches: readonly NamesToResolve[]): Promise<Resolution[][]> {
    const known = this.#catalogs.get(projectId);
    const resolved = known === undefined ? undefined : await this.#resolve(projectId, batches, known);
    return resolved ?? (await this.#resolve(projectId, batches, undefined)) ?? [];
  }

  /** What variables of a project are, by their ids, whatever they are called and archived or not. */
  async byIds(projectId: string, ids: readonly string[]): Promise<Map<string, Resolution>> {
    const found = new Map<string, Resolution>();
    for (let start = 0; start < ids.length; start += idsPerCall) {
      const variableIds = ids.slice(start, start + idsPerCall);
      const { variables } = await this.#variables.listVariables({ projectId, variableIds, includeArchived: true });
      for (const { id, ...variable } of variables) found.set(id, toSeries({ ...variable, variableId: id }));
    }
    return found;
  }

  /** Undefined when something was known that is no longer true. */
  async #resolve(
    projectId: string,
    batches: readonly NamesToResolve[],
    known: Catalog | undefined,
  ): Promise<Resolution[][] | undefined> {
    const askers = toAskers(batches, known?.names);
    const asking = [...new Set(askers)].filter(({ missing }) => missing.size > 0);
    this.#events.namesLookedUp({ areKnown: asking.length === 0 });
    for (const asker of asking.length === 0 ? askers.slice(0, 1) : asking) {
      const generation = await this.#ask(projectId, asker, known?.generation ?? 0);
      if (known !== undefined && !this.#isCurrent(projectId, known, generation)) return undefined;
      this.#remember(projectId, generation, asker);
    }
    return toResolutions(batches, askers, known?.names);
  }

  /** Whether what is known is as of this generation. It is forgotten where it is not. */
  #isCurrent(projectId: string, known: Catalog, generation: number): boolean {
    if (known.generation === generation) return true;
    if (this.#catalogs.get(projectId) === known) {
      this.#catalogs.delete(projectId);
      this.#count -= known.names.count;
    }
    return false;
  }

  async #ask(projectId: string, { provisioning, connectionId, missing, answers }: Asker, known: number) {
    const asked = [...missing.values()].map((variables) => [...variables.values()]);
    const { generation, instruments } = await this.#variables.resolve(
      {
        projectId,
        provisioning,
        connectionId,
        knownGeneration: known,
        instruments: asked.map((channels) => ({
          siteId: channels[0]?.siteId ?? '',
          instrumentName: channels[0]?.instrumentName ?? '',
          variableNames: channels.map(({ variableName }) => variableName),
        })),
      },
      missing.size === 0 ? undefined : { timeoutMs: resolveTimeoutMs },
    );
    asked.forEach((channels, i) => {
      channels.forEach((channel, position) => {
        answers.set(channel, toResolution(instruments[i], position));
      });
    });
    return generation;
  }

  #remember(projectId: string, generation: number, { missing, answers }: Asker): void {
    let catalog = this.#catalogs.get(projectId);
    if (catalog !== undefined && catalog.generation > generation) return;
    if (this.#count > this.#namesMax) {
      this.#catalogs.clear();
      this.#count = 0;
      catalog = undefined;
    }
    if (catalog?.generation !== generation) {
      this.#count -= catalog?.names.count ?? 0;
      catalog = { generation, names: new Names() };
      this.#catalogs.set(projectId, catalog);
    }
    const before = catalog.names.count;
    for (const variables of missing.values()) {
      for (const channel of variables.values()) {
        const resolution = answers.get(channel);
        if (resolution?.kind === 'series') catalog.names.set(channel, resolution);
      }
    }
    this.#count += catalog.names.count - before;
  }
}
