import type { Connections } from './connections.js';
import type { Snapshot } from './db.js';
import { holdConnection } from './held-connection.js';

/** Begins to read at one instant of the database, as `PoolView` says. */
export async function openSnapshot(
  connections: Connections,
  signal: AbortSignal,
  isScoped: boolean,
): Promise<Snapshot> {
  const { client, release } = await holdConnection(connections, signal);
  try {
    await connections.begin(client, 'begin isolation level repeatable read, read only', isScoped);
  } catch (error) {
    release();
    throw error;
  }
  return {
    async query(statement, name) {
      signal.throwIfAborted();
      return await connections.run(client, statement, name, undefined, signal);
    },
    async [Symbol.asyncDispose]() {
      // nothing was written, so what it ends with is the same
      await client.query('rollback').catch(() => undefined);
      release();
    },
  };
}
