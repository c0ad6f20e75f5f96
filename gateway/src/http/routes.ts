import type { ErrorCode } from '@weir/kit/errors';
import { throwableCodes } from './answers.js';
import type { Operation } from './operation.js';

/** An operation, ready to serve. */
export interface Endpoint {
  readonly operation: Operation;
  readonly throwable: ReadonlySet<ErrorCode>;
  readonly timeoutMs: number;
}

/** All that is served at one path. */
export interface Route {
  readonly template: string;
  /** By method; `HEAD` is that of `GET`. */
  readonly endpoints: ReadonlyMap<string, Endpoint>;
  /** Value of the `Allow` header. */
  readonly allow: string;
}

/** Names of the parameters in a path template. */
function pathNames(template: string): string[] {
  return [...template.matchAll(/\{([a-z_]+)\}/g)].map((match) => match[1] ?? '');
}

function check(operation: Operation): void {
  const names = pathNames(operation.path).sort().join();
  if (names !== Object.keys(operation.params).sort().join())
    throw new Error(`${operation.id}: the path and the declared path parameters differ`);
  if (operation.method === 'GET' && operation.body !== undefined)
    throw new Error(`${operation.id}: a GET takes no body`);
  if (operation.body !== undefined && operation.upload !== undefined)
    throw new Error(`${operation.id}: a body is read before the handler or by it`);
  if ((operation.permission !== undefined) !== (operation.auth === 'developer' && names.includes('project_id')))
    throw new Error(`${operation.id}: operations of a project, and only those, name a permission`);
}

/**
 * Puts operations together by path.
 *
 * @throws Error when two have one id, or one method and path, or a declaration contradicts itself
 */
export function compileRoutes(operations: readonly Operation[], timeoutMs: number): Route[] {
  const ids = new Set<string>();
  const byTemplate = new Map<string, Map<string, Endpoint>>();
  for (const operation of operations) {
    check(operation);
    if (ids.has(operation.id)) throw new Error(`two operations are called ${operation.id}`);
    ids.add(operation.id);
    const endpoints = byTemplate.get(operation.path) ?? new Map<string, Endpoint>();
    byTemplate.set(operation.path, endpoints);
    if (endpoints.has(operation.method)) throw new Error(`${operation.method} ${operation.path} is declared twice`);
    const endpoint = {
      operation,
      throwable: throwableCodes(operation),
      timeoutMs: operation.timeoutMs ?? timeoutMs,
    };
    endpoints.set(operation.method, endpoint);
    if (operation.method === 'GET') endpoints.set('HEAD', endpoint);
  }
  return [...byTemplate].map(([template, endpoints]) => ({
    template,
    endpoints,
    allow: [...endpoints.keys(), 'OPTIONS'].sort().join(', '),
  }));
}
