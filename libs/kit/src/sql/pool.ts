import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { unavailable, WeirError } from '../errors/index.js';
import { currentReadSignal } from '../reads/index.js';
import { inSpan, SpanKind } from '../telemetry/index.js';
import { currentScope } from '../tenancy/index.js';
import { cancelStatement } from './cancel.js';
import { withoutOptions } from './connection-url.js';
import { answerMarginMs, isPassing, leaveUnanswered } from './lost-connections.js';
import { codeOf, noteStatement, observePool } from './observe-pool.js';
import { beginScoped, prepareScope, queryScoped } from './scoped-query.js';
import type { Sql } from './sql.js';
import { types } from './type-parsers.js';

/** Where statements run: a pool, or a transaction of it. */
export interface Db {
  /** Runs one statement, prepared under `name`. Stores use `statement` instead. */
  query(statement: Sql, name?: string): Promise<pg.QueryResult<Record<string, unknown>>>;
}

/** A transaction. It refuses statements after its end. */
export interface Transaction extends Db {
  /** The connection itself, for COPY alone. */
  readonly client: pg.PoolClient;
}

/**
 * What work of a service runs its statements through. A statement outside of a transaction that is part of a read
 * (`inRead` of kit/reads) is ended, in the database too, when nobody wants the read any more.
 */
export interface PoolView extends Db {
  /**
   * Runs `work` in a transaction: commits when it returns, rolls back when it throws. A
   * serialization failure or deadlock runs it again, three times in all, so `work` must have no
   * effect but on the database. What stays in the way then is `dependency_unavailable`.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /**
   * Begins to read at one instant of the database, on a connection that is held until it is disposed of.
   * An abort ends the statement that runs and refuses further ones.
   */
  openSnapshot(signal: AbortSignal): Promise<Snapshot>;
}

/** A pool of connections to one database, as one role. */
export interface Pool extends PoolView, AsyncDisposable {
  /**
   * The same connections, for work that keeps to its project (`inProject` of kit/tenancy) where the pool itself is of
   * all: its sessions say so, and only what goes through here says otherwise.
   */
  readonly keptToProjects: PoolView;
}

/** Reads that all see the database as it was at one instant. */
export interface Snapshot extends Db, AsyncDisposable {}

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

/** What a violated constraint means to the caller. */
export type ConstraintErrors = Readonly<Record<string, () => WeirError>>;

const attemptsMax = 3;
const retryable = new Set(['40001', '40P01']);
const integrity = /^23/;
/**
 * Settings of every session. Instants are read in ISO form and UTC. A client that vanished without a
 * word (a lost node) gives back its locks within two minutes.
 */
const sessionSettings = {
  timezone: 'UTC',
  datestyle: 'ISO',
  idle_in_transaction_session_timeout: '60s',
  tcp_keepalives_idle: '60',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '3',
} as const;

function translate(error: unknown, constraints: ConstraintErrors): unknown {
  if (error instanceof WeirError) return error;
  if (error instanceof pg.DatabaseError && integrity.test(error.code ?? '')) {
    const mapped = constraints[error.constraint ?? ''];
    if (mapped !== undefined) return mapped();
  }
  return isPassing(error) ? unavailable('The database does not answer.', error) : error;
}

/** Opens a pool. Connections are made when they are needed; the database may come later. */
export function openPool(options: PoolOptions): Pool {
  const constraints = options.constraints ?? {};
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
    onConnect: prepareScope as (client: pg.ClientBase) => void,
    ...(options.statementTimeoutMs === undefined
      ? {}
      : {
          statement_timeout: options.statementTimeoutMs,
          query_timeout: options.statementTimeoutMs + (options.answerMarginMs ?? answerMarginMs),
        }),
    options: `${given}${Object.entries(session)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' ')}`,
  });
  // an idle connection that breaks is replaced when the next one is needed
  pool.on('error', () => undefined);
  const observed = observePool(pool, options.name ?? 'main');

  /** Begins a transaction, in the scope of the work that it is part of. */
  const begin = (client: pg.PoolClient, text: string, isScoped: boolean): Promise<unknown> =>
    run(client, isScoped ? beginScoped(text, currentScope()) : { text, values: [] });

  const run = (
    target: pg.Pool | pg.PoolClient,
    statement: Sql,
    name?: string,
    isScoped = false,
    calledOff?: AbortSignal,
  ): Promise<pg.QueryResult<Record<string, unknown>>> => {
    const operation = /^\w+/.exec(statement.text)?.[0] ?? 'statement';
    const startedMs = performance.now();
    return inSpan(
      operation,
      { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql', 'db.query.text': statement.text } },
      async () => {
        try {
          const config = { text: statement.text, values: [...statement.values], ...(name !== undefined && { name }) };
          const result = await (isScoped ? queryScoped(target, currentScope(), config) : target.query(config));
          noteStatement(operation, startedMs);
          return result;
        } catch (thrown) {
          leaveUnanswered(target, thrown);
          const error = translate(thrown, constraints);
          // what an abort has ended says nothing about the database
          noteStatement(operation, startedMs, calledOff?.aborted === true ? 'called_off' : codeOf(error));
          throw error;
        }
      },
    );
  };

  const connect = (): Promise<pg.PoolClient> =>
    pool.connect().catch((error: unknown) => {
      throw translate(error, constraints);
    });

  /** A connection of the pool that an abort ends the statement of, as long as it is held. */
  const hold = async (signal: AbortSignal): Promise<{ client: pg.PoolClient; release: () => void }> => {
    signal.throwIfAborted();
    const client = await connect();
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
  };

  const queryWithin = async (signal: AbortSignal, statement: Sql, name: string | undefined, isScoped: boolean) => {
    const { client, release } = await hold(signal);
    try {
      return await run(client, statement, name, isScoped, signal);
    } finally {
      release();
    }
  };

  const once = async <T>(work: (tx: Transaction) => Promise<T>, isScoped: boolean): Promise<T> => {
    const client = await connect();
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
        return run(client, statement, name);
      },
    };
    try {
      await begin(client, 'begin', isScoped);
      const result = await work(tx);
      await run(client, { text: 'commit', values: [] });
      return result;
    } catch (error) {
      leaveUnanswered(client, error);
      await client.query('rollback').catch((failed: unknown) => {
        broken = failed as Error;
      });
      throw translate(error, constraints);
    } finally {
      isOpen = false;
      client.off('error', onError);
      client.release(broken);
    }
  };

  const view = (isScoped: boolean): PoolView => ({
    query(statement, name) {
      const signal = currentReadSignal();
      return signal === undefined
        ? run(pool, statement, name, isScoped)
        : queryWithin(signal, statement, name, isScoped);
    },
    async openSnapshot(signal) {
      const { client, release } = await hold(signal);
      try {
        await begin(client, 'begin isolation level repeatable read, read only', isScoped);
      } catch (error) {
        release();
        throw error;
      }
      return {
        async query(statement, name) {
          signal.throwIfAborted();
          return await run(client, statement, name, false, signal);
        },
        async [Symbol.asyncDispose]() {
          // nothing was written, so what it ends with is the same
          await client.query('rollback').catch(() => undefined);
          release();
        },
      };
    },
    async transaction(work) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await once(work, isScoped);
        } catch (error) {
          const isRetryable = error instanceof pg.DatabaseError && retryable.has(error.code ?? '');
          if (!isRetryable) throw error;
          if (attempt === attemptsMax)
            throw unavailable('The database could not fit this change in among others.', error);
          await delay(Math.random() * 20 * attempt);
        }
      }
    },
  });

  const keptToProjects = view(true);
  return {
    ...(options.keepsToProjects === true ? keptToProjects : view(false)),
    keptToProjects,
    async [Symbol.asyncDispose]() {
      observed[Symbol.dispose]();
      await pool.end();
    },
  };
}
