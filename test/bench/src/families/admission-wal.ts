import { connect } from '@weir/kit/rpc';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import type pg from 'pg';
import { type Bench, openBench } from '../bench.js';
import { Load } from '../load.js';
import { pointBodies } from '../point-bodies.js';
import { type Family, quotient, type Sample } from '../ratio.js';
import { WriteLoad } from '../write-load.js';

const perRequest = 1000;
const requests = 100;
const instruments = 10;
const completedTogether = 8;

/** Bytes that the server logs while work is done; nobody else writes there meanwhile. */
async function walOf(sql: pg.Client, points: number, work: () => Promise<void>): Promise<Sample> {
  const lsn = async (): Promise<string> => (await sql.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn;
  const before = await lsn();
  await work();
  const { rows } = await sql.query('select pg_wal_lsn_diff($1, $2)::float8 as bytes', [await lsn(), before]);
  return { walBytesPerPoint: rows[0].bytes / points };
}

/** The obvious design: a row with the point as JSON for each run, updated when it is done. */
async function openRows({ sql, siteId }: Bench): Promise<(first: number) => Promise<void>> {
  await sql.query(
    `create table raw_runs (id bigint generated always as identity primary key, batch_id bigint not null,
       state smallint not null default 0, attempts smallint not null default 0, point jsonb not null,
       created_at timestamptz not null default now(), finished_at timestamptz)`,
  );
  return async (first) => {
    const order = {
      perRequest,
      variables: 1,
      instruments,
      siteId,
      instrumentPrefix: 'logger',
      first,
      bodies: requests,
    };
    for (const [batch, body] of pointBodies(order).entries()) {
      const points = (JSON.parse(body) as { data: unknown[] }).data.map((point) => JSON.stringify(point));
      const { rows } = await sql.query<{ id: string }>(
        'insert into raw_runs (batch_id, point) select $1, point from unnest($2::jsonb[]) as point returning id',
        [batch, points],
      );
      await sql.query('update raw_runs set state = 2, attempts = 1, finished_at = now() where id = any($1)', [
        rows.map(({ id }) => id),
      ]);
    }
  };
}

/** What the record of runs costs the log of the database, without the observations that become of them. */
export const admissionWal: Family = {
  name: 'the log of admission and completion',
  ratios: [
    {
      id: 'W13',
      what: 'bytes logged for a point admitted and completed ÷ with a row of JSON for each',
      goal: 0.5,
      stretch: 0.2,
      isLowerBetter: true,
      of: (r) => quotient(r['batches']?.['walBytesPerPoint'], r['rows of JSON']?.['walBytesPerPoint']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    // outcomes are told by this process: processors would write observations
    const bench = opening.use(await openBench({ processors: 0 }));
    const ingestion = opening.use(connect(IngestionServiceDefinition, bench.stack.addresses.ingestion));
    const writes = new WriteLoad(bench, opening.use(new Load()));
    const { sql } = bench;
    let sent = 0;
    const admitAndComplete = async (): Promise<void> => {
      const accepted = await writes.accept({ perRequest, variables: 1, connections: 1, bodies: requests });
      sent += accepted.requests * perRequest;
      const { rows } = await sql.query<{ id: string }>('select batch_id as id from ingestion.queue order by batch_id');
      const batches = rows.map(({ id }) => ({ id: Number(id), variableIds: Buffer.alloc(instruments * 16, 7) }));
      for (let at = 0; at < batches.length; at += completedTogether)
        await ingestion.completeRuns({ batches: batches.slice(at, at + completedTogether) });
    };
    const check = async (): Promise<void> => {
      const { unfinishedBatches } = await ingestion.getQueue({});
      const { admitted, deviating } = await bench.runs();
      if (unfinishedBatches !== 0 || admitted !== sent || deviating !== 0)
        throw new Error(`${sent} points were sent; ${admitted} runs, ${deviating} deviate, ${unfinishedBatches} wait`);
    };
    const rowsOfJson = await openRows(bench);
    await admitAndComplete();
    let first = 0;
    const open = opening.move();
    return {
      trials: {
        batches: async () => {
          const sample = await walOf(sql, requests * perRequest, admitAndComplete);
          await check();
          return sample;
        },
        'rows of JSON': () => walOf(sql, requests * perRequest, () => rowsOfJson((first += requests * perRequest))),
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
