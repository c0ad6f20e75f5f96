import pg from 'pg';
import { currentScope, scopeSetting } from '../tenancy/index.js';
import type { Connections } from './connections.js';
import type { Snapshot } from './db.js';
import { holdConnection } from './held-connection.js';

const begin = 'begin isolation level repeatable read, read only';

/** What begins it, in the scope of the work that it is part of: one message. */
function beginning(isScoped: boolean): string {
  return isScoped ? `${begin}; set local ${scopeSetting} = ${pg.escapeLiteral(currentScope())}` : begin;
}

/** Begins to read at one instant of the database, as `PoolView` says. */
export async function openSnapshot(
  connections: Connections,
  signal: AbortSignal,
  isScoped: boolean,
): Promise<Snapshot> {
  const { client, release } = await holdConnection(connections, signal);
  try {
    await connections.run(client, { text: beginning(isScoped), values: [] });
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
