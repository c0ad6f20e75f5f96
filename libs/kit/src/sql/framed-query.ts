import pg from 'pg';
import { scopeSetting } from '../tenancy/index.js';
import { runQuery } from './run-query.js';

/** A statement that each connection has prepared under its name. */
interface Prepared {
  readonly statement: string;
  readonly values: readonly string[];
}

/** What travels in one message with a statement, before and after it: it costs no round trip. */
export interface Frame {
  readonly before: readonly Prepared[];
  readonly after: readonly Prepared[];
}

const scopeStatement = 'weir_scope';

/** Begins a transaction. */
export const begin: Prepared = { statement: 'weir_begin', values: [] };
/** Commits the transaction. */
export const commit: Prepared = { statement: 'weir_commit', values: [] };
/** Sets the scope until the end of the transaction. */
export const setScope = (scope: string): Prepared => ({ statement: scopeStatement, values: [scope] });

/** Prepares on a new connection what frames are made of. */
export async function prepareFrames(client: pg.ClientBase): Promise<void> {
  await client.query({ name: begin.statement, text: 'begin' });
  await client.query({ name: scopeStatement, text: `select set_config('${scopeSetting}', $1, true)`, values: [''] });
  await client.query({ name: commit.statement, text: 'commit' });
}

/** The part of pg's connection that a frame is written to. */
interface FramedConnection {
  readonly stream: { cork(): void; uncork(): void };
  bind(config: object, more: true): void;
  execute(config: object, more: true): void;
  sync(): void;
}

/** The part of pg's query that a framed one hooks into. */
interface QueryHooks {
  submit(connection: FramedConnection): Error | null;
  _getRows(connection: FramedConnection): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: FramedConnection): void;
}

function write(connection: FramedConnection, statements: readonly Prepared[]): void {
  for (const prepared of statements) {
    connection.bind(prepared, true);
    connection.execute({}, true);
  }
}

/**
 * Runs one statement in a frame. Until the Sync at its end PostgreSQL goes on with nothing after an error, and takes what
 * begins no transaction for one: a scope that is set before a statement ends with it.
 */
export function queryFramed(
  target: pg.Pool | pg.PoolClient,
  { before, after }: Frame,
  config: pg.QueryConfig,
): Promise<pg.QueryResult<Record<string, unknown>>> {
  const query = new pg.Query({ ...config, queryMode: 'extended' } as pg.QueryConfig);
  const hooks = query as unknown as QueryHooks;
  const submit = hooks.submit.bind(query);
  const handleDataRow = hooks.handleDataRow.bind(query);
  const handleCommandComplete = hooks.handleCommandComplete.bind(query);
  /** Statements that are done; those before this one are counted below zero. */
  let done = -before.length;
  Object.assign(query, {
    submit(connection) {
      connection.stream.cork();
      try {
        write(connection, before);
        return submit(connection);
      } finally {
        connection.stream.uncork();
      }
    },
    // what pg ends the message with
    _getRows(connection) {
      connection.execute({}, true);
      write(connection, after);
      connection.sync();
    },
    handleDataRow(message) {
      if (done === 0) handleDataRow(message);
    },
    handleCommandComplete(message, connection) {
      if (done++ === 0) handleCommandComplete(message, connection);
    },
  } satisfies QueryHooks);
  return runQuery(target, query);
}
