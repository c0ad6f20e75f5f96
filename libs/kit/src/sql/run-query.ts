import type pg from 'pg';

/** Pools and connections take a query that submits itself, and a callback; the types of pg do not tell. */
interface Target {
  query(
    query: pg.Query,
    values: undefined,
    callback: (error: Error | undefined, result: pg.QueryResult<Record<string, unknown>>) => void,
  ): void;
}

/**
 * Runs a query. Where pg itself makes the promise it assigns a function to the query, and functions that are assigned to a
 * property V8 makes old from the start: they keep values and rows until all garbage is collected.
 */
export function runQuery(
  target: pg.Pool | pg.PoolClient,
  query: pg.Query,
): Promise<pg.QueryResult<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    (target as unknown as Target).query(query, undefined, (error, result) => {
      if (error) reject(error);
      else resolve(result);
    });
  });
}
