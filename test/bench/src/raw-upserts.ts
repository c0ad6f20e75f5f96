import { openDatabase, openSql } from './bench.js';
import { percentile } from './load.js';
import type { Sample } from './ratio.js';

/**
 * The yardstick of all writes: what an ordinary client of the database reaches with one connection and the ordinary best
 * statement, a prepared `unnest` upsert of text arrays, into an unpartitioned table with the bare primary key.
 */
export interface RawUpserts extends AsyncDisposable {
  /** Statements of so many points with so many variables each, for a time or a number of statements. */
  run(options: {
    readonly points: number;
    readonly variables: number;
    readonly durationMs?: number;
    readonly statementsMax?: number;
  }): Promise<Sample>;
}

const upsert = {
  name: 'upsert',
  text: `insert into raw_observations (variable_id, ts, value, batch_id)
    select * from unnest($1::bigint[], $2::timestamptz[], $3::float8[], $4::bigint[])
    on conflict (variable_id, ts) do update set value = excluded.value, batch_id = excluded.batch_id`,
};

/** Opens the yardstick in a database of its own. */
export async function openRawUpserts(): Promise<RawUpserts> {
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await openDatabase());
  const sql = opening.use(await openSql(database.url));
  await sql.query(
    'create table raw_observations (variable_id bigint, ts timestamptz, value float8, batch_id bigint, primary key (variable_id, ts))',
  );
  let second = 0;
  const open = opening.move();
  return {
    async run({ points, variables, durationMs = Number.POSITIVE_INFINITY, statementsMax = Number.POSITIVE_INFINITY }) {
      const latencies: number[] = [];
      const startedMs = performance.now();
      while (performance.now() - startedMs < durationMs && latencies.length < statementsMax) {
        const instants = Array.from({ length: points }, (_, i) => new Date((second + i) * 1000).toISOString());
        second += points;
        const rows = points * variables;
        const values = [
          Array.from({ length: rows }, (_, i) => i % variables),
          Array.from({ length: rows }, (_, i) => instants[Math.floor(i / variables)]),
          Array.from({ length: rows }, (_, i) => i / 7),
          Array.from({ length: rows }, () => latencies.length),
        ];
        const beganMs = performance.now();
        await sql.query({ ...upsert, values });
        latencies.push(performance.now() - beganMs);
      }
      const seconds = (performance.now() - startedMs) / 1000;
      return {
        rowsPerSecond: (latencies.length * points * variables) / seconds,
        statementsPerSecond: latencies.length / seconds,
        p50Ms: percentile(latencies, 0.5),
      };
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
