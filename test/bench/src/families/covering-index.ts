import { openDatabase, openSql } from '../bench.js';
import { type Family, quotient } from '../ratio.js';
import { timeQueries } from '../timed-queries.js';

const series = 100;
const perSeries = 100_000;

/** Rows of all series in the order of time, as they arrive, under a key that holds the value or does not. */
const layouts = { covering: 'include (value)', plain: '' } as const;

const queryOf = (table: string) => ({
  name: table,
  text: `select date_bin('100 seconds', at, '2000-01-01+00') as bucket, avg(value), min(value), max(value)
    from (select at, value from ${table} where variable_key = $1 order by at) as sorted group by bucket order by bucket`,
});

/** Reading one of many series that arrived together: what the index that has the values is for. */
export const coveringIndex: Family = {
  name: 'the covering index',
  ratios: [
    {
      id: 'R3',
      what: 'queries of one of 100 interleaved series by the covering index ÷ by the plain one',
      goal: 3,
      stretch: 8,
      of: (r) => quotient(r['covering']?.['queriesPerSecond'], r['plain']?.['queriesPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const database = opening.use(await openDatabase());
    const sql = opening.use(await openSql(database.url));
    await sql.query('set enable_seqscan = off');
    await sql.query('set enable_bitmapscan = off');
    for (const [table, include] of Object.entries(layouts)) {
      await sql.query(
        `create table ${table} (variable_key bigint, at timestamptz, value float8, admitted bigint,
           primary key (variable_key, at) ${include}) with (autovacuum_enabled = off)`,
      );
      await sql.query(
        `insert into ${table} select key, '2026-01-01Z'::timestamptz + number * interval '1 second', sin(number), number
         from generate_series(1, $1::int) as number, generate_series(1, $2::int) as key
         order by number`,
        [perSeries, series],
      );
      await sql.query(`vacuum analyze ${table}`);
    }
    const { rows } = await sql.query(`explain (analyze, format json) ${queryOf('covering').text.replace('$1', '7')}`);
    const plan = JSON.stringify(rows[0]);
    const fetches = Number(/"Heap Fetches":\s*([0-9]+)/.exec(plan)?.[1]);
    if (!plan.includes('Index Only Scan') || !(fetches < perSeries * 0.05))
      throw new Error(`the covering index is not read alone: ${plan}`);
    const ask = (table: string) => () =>
      timeQueries((number) => sql.query({ ...queryOf(table), values: [(number % series) + 1] }));
    const open = opening.move();
    return {
      trials: { covering: ask('covering'), plain: ask('plain') },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
