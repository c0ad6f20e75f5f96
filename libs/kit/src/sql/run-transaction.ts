import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { unavailable } from '../errors/index.js';
import { currentScope } from '../tenancy/index.js';
import type { Connections } from './connections.js';
import type { Db, Transaction } from './db.js';
import { begin, commit, type Frame, setScope } from './framed-query.js';
import { leaveUnanswered } from './lost-connections.js';
import type { Sql } from './sql.js';

const attemptsMax = 3;
const retryable = new Set(['40001', '40P01']);

/** A transaction on a connection: it begins with its first statement, in the same message. */
class RunningTransaction implements Transaction {
  readonly #connections: Connections;
  readonly #client: pg.PoolClient;
  /** What begins it; empty when it has begun. */
  #beginning: Frame['before'];
  #isOpen = true;
  /** The last statement, which commits. */
  #committing: Promise<unknown> | undefined;
  readonly last: Db = { query: (statement, name) => this.#runLast(statement, name) };

  constructor(connections: Connections, client: pg.PoolClient, scope: string | undefined) {
    this.#connections = connections;
    this.#client = client;
    this.#beginning = scope === undefined ? [begin] : [begin, setScope(scope)];
  }

  get client(): pg.PoolClient {
    this.#requireOpen('a COPY');
    if (!this.hasBegun) throw new Error('a transaction begins with a statement, not with a COPY');
    return this.#client;
  }

  query(statement: Sql, name?: string): Promise<pg.QueryResult<Record<string, unknown>>> {
    return this.#run(statement, name, []);
  }

  /** Whether its first statement was handed over, which begins it. */
  get hasBegun(): boolean {
    return this.#beginning.length === 0;
  }

  /** Refuses all further statements. */
  close(): void {
    this.#isOpen = false;
  }

  /** Commits, or waits until the last statement has; rejects when that has failed, whoever else was told. */
  async commit(): Promise<void> {
    if (this.#committing !== undefined) await this.#committing;
    else if (this.hasBegun) await this.#connections.run(this.#client, { text: 'commit', values: [] });
  }

  #runLast(statement: Sql, name?: string): Promise<pg.QueryResult<Record<string, unknown>>> {
    const running = this.#run(statement, name, [commit]);
    this.#committing = running;
    // work that fails meanwhile is told of, and not this
    running.catch(() => undefined);
    this.close();
    return running;
  }

  #requireOpen(what: string): void {
    if (!this.#isOpen) throw new Error(`statement after the end of its transaction: ${what}`);
  }

  #run(
    statement: Sql,
    name: string | undefined,
    after: Frame['after'],
  ): Promise<pg.QueryResult<Record<string, unknown>>> {
    this.#requireOpen(statement.text);
    const before = this.#beginning;
    this.#beginning = [];
    const frame = before.length + after.length === 0 ? undefined : { before, after };
    return this.#connections.run(this.#client, statement, name, frame);
  }
}

async function runOnce<T>(
  connections: Connections,
  work: (tx: Transaction) => Promise<T>,
  isScoped: boolean,
): Promise<T> {
  const client = await connections.take();
  let broken: Error | undefined;
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on('error', onError);
  const tx = new RunningTransaction(connections, client, isScoped ? currentScope() : undefined);
  try {
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error) {
    leaveUnanswered(client, error);
    if (tx.hasBegun) {
      await client.query('rollback').catch((failed: unknown) => {
        broken = failed as Error;
      });
    }
    throw connections.translate(error);
  } finally {
    tx.close();
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
