import type pg from 'pg';
import type { Sql } from './sql.js';

/** Where statements run: a pool, or a transaction of it. */
export interface Db {
  /** Runs one statement, prepared under `name`. Stores use `statement` instead. */
  query(statement: Sql, name?: string): Promise<pg.QueryResult<Record<string, unknown>>>;
}

/**
 * A transaction. It begins with its first statement, which is one alone and sets nothing of the transaction itself, such as its
 * isolation. It refuses statements after its end.
 */
export interface Transaction extends Db {
  /** The connection itself, for COPY alone, which no transaction begins with. */
  readonly client: pg.PoolClient;
  /**
   * Runs the last statement of the transaction, and commits in the same message. One without rows, and nothing that may
   * fail after it: what has committed is not rolled back.
   */
  readonly last: Db;
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
