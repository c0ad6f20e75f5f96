import pg from 'pg';
import { scopeSetting } from '../tenancy/index.js';
import { runQuery } from './run-query.js';
import type { Sql } from './sql.js';

/** The name under which each connection has prepared what sets its scope. */
const scopeStatement = 'weir_scope';

/** Prepares on a new connection what every scoped statement of it begins with. */
export async function prepareScope(client: pg.ClientBase): Promise<void> {
  await client.query({ name: scopeStatement, text: `select set_config('${scopeSetting}', $1, true)`, values: [''] });
}

/** Begins a transaction that sees the rows of its scope; one message to the server. */
export function beginScoped(begin: string, scope: string): Sql {
  return { text: `${begin}; set local ${scopeSetting} = ${pg.escapeLiteral(scope)}`, values: [] };
}

/** The part of pg's query that a scoped one hooks into. */
interface QueryHooks {
  submit(connection: pg.Connection): Error | null;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}

/**
 * Runs one statement outside of a transaction within a scope. What sets the scope travels in front of the
 * statement in the same message, and until the Sync at its end PostgreSQL takes both for one
 * transaction: the scope ends with it, and costs no round trip.
 */
export function queryScoped(
  target: pg.Pool | pg.PoolClient,
  scope: string,
  config: pg.QueryConfig,
): Promise<pg.QueryResult<Record<string, unknown>>> {
  const query = new pg.Query({ ...config, queryMode: 'extended' } as pg.QueryConfig);
  const hooks = query as unknown as QueryHooks;
  const submit = hooks.submit.bind(query);
  const handleDataRow = hooks.handleDataRow.bind(query);
  const handleCommandComplete = hooks.handleCommandComplete.bind(query);
  let isScopeSet = false;
  Object.assign(query, {
    submit(connection) {
      connection.stream.cork();
      try {
        connection.bind({ statement: scopeStatement, values: [scope] }, true);
        connection.execute({}, true);
        return submit(connection);
      } finally {
        connection.stream.uncork();
      }
    },
    handleDataRow(message) {
      if (isScopeSet) handleDataRow(message);
    },
    handleCommandComplete(message, connection) {
      if (isScopeSet) handleCommandComplete(message, connection);
      else isScopeSet = true;
    },
  } satisfies QueryHooks);
  return runQuery(target, query);
}
