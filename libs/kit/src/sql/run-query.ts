import type pg from 'pg';

type Result = pg.QueryResult<Record<string, unknown>>;

/** Pools and connections take a query that submits itself, and a callback; the types of pg do not tell. */
interface Target {
  query(query: pg.Query, values: undefined, callback: (error: Error | undefined, result: Result) => void): void;
}

/**
 * Runs a query. pg assigns functions to each, for its promises and to give up waiting, and functions that are assigned to a
 * property V8 makes old from the start: what they lead to stays until all garbage is collected. So they are led to nothing:
 * not to values and rows, and not to who waits for them.
 */
export function runQuery(target: pg.Pool | pg.PoolClient, query: pg.Query): Promise<Result> {
  return new Promise((resolve, reject) => {
    let waiting: { resolve: typeof resolve; reject: typeof reject } | undefined = { resolve, reject };
    (target as unknown as Target).query(query, undefined, (error, result) => {
      const told = waiting;
      waiting = undefined;
      Object.assign(query, { values: undefined, _result: undefined, _results: undefined });
      if (error) told?.reject(error);
      else told?.resolve(result);
    });
  });
}
