import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { unavailable } from '../errors/index.js';
import type { Connections } from './connections.js';
import type { Transaction } from './db.js';
import { leaveUnanswered } from './lost-connections.js';

const attemptsMax = 3;
const retryable = new Set(['40001', '40P01']);

async function runOnce<T>(
  connections: Connections,
  work: (tx: Transaction) => Promise<T>,
  isScoped: boolean,
): Promise<T> {
  const client = await connections.take();
  let isOpen = true;
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  const tx: Transaction = {
    client,
    query(statement, name) {
      if (!isOpen) throw new Error(`statement after the end of its transaction: ${statement.text}`);
      return connections.run(client, statement, name);
    },
  };
  try {
    await connections.begin(client, 'begin', isScoped);
    const result = await work(tx);
    await connections.run(client, { text: 'commit', values: [] });
    return result;
  } catch (error) {
    leaveUnanswered(client, error);
    await client.query('rollback').catch((failed: unknown) => {
      broken = failed as Error;
    });
    throw connections.translate(error);
  } finally {
    isOpen = false;
    client.off('error', onError);
    client.release(broken);
  }
}

/** Runs `work` in a transaction, as `PoolView` says. */
export async function runTransaction<T>(
  connections: Connections,
  work: (tx: Transaction) => Promise<T>,
  isScoped: boolean,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(connections, work, isScoped);
    } catch (error) {
      const isRetryable = error instanceof pg.DatabaseError && retryable.has(error.code ?? '');
      if (!isRetryable) throw error;
      if (attempt === attemptsMax) throw unavailable('The database could not fit this change in among others.', error);
      await delay(Math.random() * 20 * attempt);
    }
  }
}
