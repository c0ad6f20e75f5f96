import { createHash } from 'node:crypto';
import { idBytes, idFromBytes } from '@weir/kit/ids';
import {
  type ListVariablesRequest,
  ListVariablesResponse,
  type ResolveRequest,
  type ResolveResponse,
} from '@weir/proto/variables';

function variableId(key: number): string {
  return `01920000-0000-7000-8000-${key.toString(16).padStart(12, '0')}`;
}

/** The sixteen bytes of a variable's id, as outcomes carry them. */
export function variableIdBytes(key: number): Buffer {
  return idBytes(variableId(key));
}

/** The id of an instrument by its name. */
export function instrumentId(name: string): string {
  return idFromBytes(createHash('sha256').update(name).digest());
}

/**
 * A catalog that creates whatever it is asked for, in every project the same. Names that begin with
 * `integer` are integers; one of the error codes as a name, or before a slash, is answered by that error.
 */
export class TestCatalog {
  readonly requests: ResolveRequest[] = [];
  generation = 1;
  /** Names of variables and instruments that are archived. */
  readonly archived = new Set<string>();
  /** Called before each answer; may throw or wait. */
  onResolve: (request: ResolveRequest) => Promise<void> | void = () => undefined;
  readonly #keys = new Map<string, number>();
  /** Instrument and variable, by key from 1, as they were first called. */
  readonly #variables: (readonly [instrument: string, variable: string])[] = [];

  key(instrument: string, variable: string): number {
    const name = `${instrument}/${variable}`;
    const key = this.#keys.get(name) ?? this.#variables.push([instrument, variable]);
    this.#keys.set(name, key);
    return key;
  }

  /** Lets a name mean another variable from now on. */
  rename(instrument: string, variable: string): void {
    this.#keys.delete(`${instrument}/${variable}`);
    this.generation++;
  }

  async list({ variableIds }: ListVariablesRequest): Promise<ListVariablesResponse> {
    const variables = this.#variables.map(([instrument, variable], i) => ({
      id: variableId(i + 1),
      variableKey: i + 1,
      instrumentId: instrumentId(instrument),
      valueType: variable.startsWith('integer') ? 'integer' : 'decimal',
      configurationGeneration: 1,
    }));
    return ListVariablesResponse.fromPartial({ variables: variables.filter(({ id }) => variableIds.includes(id)) });
  }

  async resolve(request: ResolveRequest): Promise<ResolveResponse> {
    this.requests.push(request);
    await this.onResolve(request);
    const isError = (name: string): boolean => /^(site_|instrument_|variable_|quota_exceeded)/.test(name);
    return {
      generation: this.generation,
      instruments: request.instruments.map(({ instrumentName, variableNames }) => ({
        errorCode: isError(instrumentName)
          ? instrumentName
          : this.archived.has(instrumentName)
            ? 'instrument_archived'
            : '',
        instrumentId: instrumentId(instrumentName),
        variables:
          isError(instrumentName) || this.archived.has(instrumentName)
            ? []
            : variableNames.map((name) => {
                const variableKey = this.key(instrumentName, name);
                return {
                  errorCode: isError(name)
                    ? name.replace(/\/.*/, '')
                    : this.archived.has(name)
                      ? 'variable_archived'
                      : '',
                  variableId: variableId(variableKey),
                  variableKey,
                  valueType: name.startsWith('integer') ? 'integer' : 'decimal',
                  configurationGeneration: 1,
                };
              }),
      })),
    };
  }
}
