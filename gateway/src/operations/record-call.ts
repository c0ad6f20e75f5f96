import { isId } from '@weir/kit/ids';
import type { RpcOptions } from '@weir/kit/rpc';
import type { Actor } from '@weir/proto/common';
import type { DeveloperPrincipal } from '../http/operation.js';
import { id, required } from '../http/parameters.js';

type NamesOf<T extends string> = T extends `${string}{${infer N}}${infer Rest}` ? N | NamesOf<Rest> : never;
type Camel<T extends string> = T extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : T;

/** The project and the ids of a path such as `/sites/{site_id}`, by the names that messages of services have. */
export type Key<T extends string> = { readonly [N in 'projectId' | Camel<NamesOf<T>>]: string };

/** One call of an operation of a project. */
export interface RecordCall<T extends string> {
  readonly key: Key<T>;
  /** On whose behalf it is. */
  readonly actor: Actor;
  readonly options: RpcOptions;
}

const basePath = '/dev-api/v1/p/{project_id}';

/** What ids in paths name. */
const words: Readonly<Record<string, string>> = {
  site_id: 'site',
  instrument_id: 'instrument',
  variable_id: 'variable',
  constant_id: 'calibration constant',
  group_id: 'instrument group',
  dashboard_id: 'dashboard',
  parser_id: 'parser',
};

function wordOf(name: string): string {
  const word = words[name];
  if (word === undefined) throw new Error(`nobody knows what ${name} names`);
  return word;
}

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function idNames(path: string): string[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name = '']) => name);
}

/** The whole path of an operation of a project, and its declared parameters. */
export function projectPath(path: string) {
  const ids = idNames(path).map((name) => [name, required(id, `Id of the ${wordOf(name)}.`)] as const);
  const project = required(id, 'Id of the project that the key belongs to.');
  return { path: basePath + path, params: { project_id: project, ...Object.fromEntries(ids) } };
}

/** An id that no record has: what is no UUID is asked for as this, so that it is answered as any other unknown id. */
const idOfNothing = '00000000-0000-0000-0000-000000000000';

/** Reads what a request says of a call of an operation at `path`. */
export function readCall<T extends string>(
  path: T,
  request: {
    readonly params: Readonly<Record<string, string>>;
    readonly principal: DeveloperPrincipal;
    readonly requestId: string;
    readonly signal: AbortSignal;
  },
): RecordCall<T> {
  const { params, principal, requestId, signal } = request;
  const key: Record<string, string> = { projectId: principal.projectId };
  for (const name of idNames(path)) {
    const given = params[name] ?? '';
    key[camel(name)] = isId(given) ? given : idOfNothing;
  }
  return {
    key: key as Key<T>,
    actor: { type: 'developer_api_key', id: principal.keyId },
    options: { requestId, signal },
  };
}

/** A record that a service answers whenever it answers at all. */
export function present<T>(record: T | undefined): T {
  if (record === undefined) throw new Error('a service answered without the record');
  return record;
}
