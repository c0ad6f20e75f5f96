import pg from 'pg';
import { currentReadSignal } from '../reads/index.js';
import { withoutOptions } from './connection-url.js';
import { Connections, type ConstraintErrors } from './connections.js';
import type { Pool, PoolView } from './db.js';
import { prepareFrames } from './framed-query.js';
import { queryWithin } from './held-connection.js';
import { answerMarginMs } from './lost-connections.js';
import { observePool } from './observe-pool.js';
import { openSnapshot } from './open-snapshot.js';
import { runTransaction } from './run-transaction.js';
import { sessionOptions, vanishedClients } from './session-options.js';
import { types } from './type-parsers.js';

/** What a pool is opened with. */
export interface PoolOptions {
  readonly url: string;
  /** Which pool of the process it is, in its metrics; `main` unless given. */
  readonly name?: string;
  /** The role that statements run as; the login's own when absent. */
  readonly role?: string;
  readonly max: number;
  /**
   * Whether statements keep to the project of the work that they are part of (`inProject` of kit/tenancy),
   * for a role whose policies ask for it.
   */
  readonly keepsToProjects?: boolean;
  /** Ends a statement that takes longer, in milliseconds. */
  readonly statementTimeoutMs?: number;
  /** How much longer than that its answer is waited for before the connection is taken to lead nowhere; 5 s unless given. */
  readonly answerMarginMs?: number;
  /** Settings of every session, such as `plan_cache_mode`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Constraint name → error, from the stores that own the tables. */
  readonly constraints?: ConstraintErrors;
}

/**
 * Settings of every session. Instants are read in ISO form and UTC. No statement is compiled, which takes longer than most
 * of ours do.
 */
const sessionSettings = {
  ...vanishedClients,
  timezone: 'UTC',
  datestyle: 'ISO',
  jit: 'off',
  idle_in_transaction_session_timeout: '60s',
} as const;

function createPool(options: PoolOptions): pg.Pool {
  const session = {
    ...sessionSettings,
    ...(options.role === undefined ? {} : { role: options.role }),
    ...options.settings,
  };
  const { url, given } = withoutOptions(options.url);
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    types,
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // it is waited for; the types of pg do not tell
    onConnect: prepareFrames as (client: pg.ClientBase) => void,
    ...(options.statementTimeoutMs === undefined
      ? {}
      : {
          statement_timeout: options.statementTimeoutMs,
          query_timeout: options.statementTimeoutMs + (options.answerMarginMs ?? answerMarginMs),
        }),
    options: given + sessionOptions(session),
  });
  // an idle connection that breaks is replaced when the next one is needed
  pool.on('error', () => undefined);
  return pool;
}

function viewOf(connections: Connections, isScoped: boolean): PoolView {
  return {
    query(statement, name) {
      const signal = currentReadSignal();
      return signal === undefined
        ? connections.run(connections.pool, statement, name, connections.scopeFrame(isScoped))
        : queryWithin(connections, signal, statement, name, isScoped);
    },
    openSnapshot: (signal) => openSnapshot(connections, signal, isScoped),
    transaction: (work) => runTransaction(connections, work, isScoped),
  };
}

/** Opens a pool. Connections are made when they are needed; the database may come later. */
export function openPool(options: PoolOptions): Pool {
  const pool = createPool(options);
  const observed = observePool(pool, options.name ?? 'main');
  const connections = new Connections(pool, options.constraints ?? {});
  const keptToProjects = viewOf(connections, true);
  return {
    ...(options.keepsToProjects === true ? keptToProjects : viewOf(connections, false)),
    keptToProjects,
    async [Symbol.asyncDispose]() {
      observed[Symbol.dispose]();
      await pool.end();
    },
  };
}
