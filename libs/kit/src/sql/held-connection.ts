import type pg from 'pg';
import { cancelStatement } from './cancel.js';
import type { Connections } from './connections.js';
import type { Sql } from './sql.js';

/** Takes a connection; until it is released, an abort ends the statement that it runs. */
export async function holdConnection(
  connections: Connections,
  signal: AbortSignal,
): Promise<{ readonly client: pg.PoolClient; readonly release: () => void }> {
  signal.throwIfAborted();
  const client = await connections.take();
  let isSpent = false;
  const onError = (): void => {
    isSpent = true;
  };
  const onAbort = (): void => {
    isSpent = true;
    cancelStatement(client);
  };
  client.on('error', onError);
  signal.addEventListener('abort', onAbort, { once: true });
  const release = (): void => {
    client.off('error', onError);
    signal.removeEventListener('abort', onAbort);
    client.release(isSpent);
  };
  if (signal.aborted) release();
  signal.throwIfAborted();
  return { client, release };
}

/** Runs one statement that an abort ends. */
export async function queryWithin(
  connections: Connections,
  signal: AbortSignal,
  statement: Sql,
  name: string | undefined,
  isScoped: boolean,
): Promise<pg.QueryResult<Record<string, unknown>>> {
  const { client, release } = await holdConnection(connections, signal);
  try {
    return await connections.run(client, statement, name, connections.scopeFrame(isScoped), signal);
  } finally {
    release();
  }
}
