import pg from 'pg';
import { unavailable, WeirError } from '../errors/index.js';
import { inSpan, SpanKind } from '../telemetry/index.js';
import { currentScope } from '../tenancy/index.js';
import { type Frame, queryFramed, setScope } from './framed-query.js';
import { isPassing, leaveUnanswered } from './lost-connections.js';
import { codeOf, noteStatement } from './observe-pool.js';
import { runQuery } from './run-query.js';
import type { Sql } from './sql.js';

/** What a violated constraint means to the caller. */
export type ConstraintErrors = Readonly<Record<string, () => WeirError>>;

const integrity = /^23/;

/** The connections of a pool: how one is taken, how statements run on it, and what their errors mean. */
export class Connections {
  readonly pool: pg.Pool;
  readonly #constraints: ConstraintErrors;

  constructor(pool: pg.Pool, constraints: ConstraintErrors) {
    this.pool = pool;
    this.#constraints = constraints;
  }

  /** What an error means to the caller. */
  translate(error: unknown): unknown {
    if (error instanceof WeirError) return error;
    if (error instanceof pg.DatabaseError && integrity.test(error.code ?? '')) {
      const mapped = this.#constraints[error.constraint ?? ''];
      if (mapped !== undefined) return mapped();
    }
    return isPassing(error) ? unavailable('The database does not answer.', error) : error;
  }

  /** Takes a connection, which is then to be released. */
  take(): Promise<pg.PoolClient> {
    return this.pool.connect().catch((error: unknown) => {
      throw this.translate(error);
    });
  }

  /** What keeps a statement outside of a transaction to the scope of the work that it is part of. */
  scopeFrame(isScoped: boolean): Frame | undefined {
    return isScoped ? { before: [setScope(currentScope())], after: [] } : undefined;
  }

  /**
   * Runs one statement on a connection, or on whichever of the pool is free.
   *
   * @param frame - what goes with it
   * @param calledOff - what ends it
   */
  run(
    target: pg.Pool | pg.PoolClient,
    statement: Sql,
    name?: string,
    frame?: Frame,
    calledOff?: AbortSignal,
  ): Promise<pg.QueryResult<Record<string, unknown>>> {
    const operation = /^\w+/.exec(statement.text)?.[0] ?? 'statement';
    const startedMs = performance.now();
    return inSpan(
      operation,
      { kind: SpanKind.CLIENT, attributes: { 'db.system.name': 'postgresql', 'db.query.text': statement.text } },
      async () => {
        try {
          const config = { text: statement.text, values: [...statement.values], ...(name !== undefined && { name }) };
          const result = await (frame === undefined
            ? runQuery(target, new pg.Query(config))
            : queryFramed(target, frame, config));
          noteStatement(operation, startedMs);
          return result;
        } catch (thrown) {
          leaveUnanswered(target, thrown);
          // that of pg ends where the answer was read, and tells nothing of who asked
          if (thrown instanceof Error) Error.captureStackTrace(thrown);
          const error = this.translate(thrown);
          // what an abort has ended says nothing about the database
          noteStatement(operation, startedMs, calledOff?.aborted === true ? 'called_off' : codeOf(error));
          throw error;
        }
      },
    );
  }
}
