import { type Bench, openSql } from './bench.js';
import type { StoredSeries } from './stored-series.js';

/** Series of as many loggers as loads write to, so that these go on where the stored observations end. */
const loggers = 10;
const variablesEach = 10;
const series = loggers * variablesEach;
const start = '2024-01-01T00:00:00Z';
/** Observations a statement stores. */
const chunk = 1_000_000;

/** The instant of observation `minute` of each series; the last ones of a hundred million are from November 2025. */
export const grownInstant = (minute: number): string => new Date(Date.parse(start) + minute * 60_000).toISOString();

/** So many observations in all, one a minute of each of a hundred series. */
export interface GrownSeries {
  readonly series: readonly StoredSeries[];
  /** Observations of each. */
  readonly minutes: number;
}

async function createSeries({ origin, ingestionHeaders, siteId, drained, sql }: Bench): Promise<StoredSeries[]> {
  const data = Array.from({ length: loggers }, (_, logger) => ({
    instrument_timestamp: start,
    instrument_name: `logger ${logger}`,
    site_id: siteId,
    ingested_variables: Array.from({ length: variablesEach }, (_, i) => ({ name: `variable ${i}`, value: 0 })),
  }));
  const body = JSON.stringify({ data });
  const answer = await fetch(`${origin}/v1/ingest`, { method: 'POST', headers: ingestionHeaders, body });
  if (answer.status !== 200) throw new Error(`the first points: ${answer.status} ${await answer.text()}`);
  await drained();
  const { rows } = await sql.query<StoredSeries>(
    'select id as "variableId", variable_key::int as "variableKey" from variables.variables order by variable_key',
  );
  if (rows.length !== series) throw new Error(`there are ${rows.length} series`);
  return rows;
}

/** Stores observations in the order of time, as they arrive: the series lie between each other. */
export async function growSeries(bench: Bench, count: number): Promise<GrownSeries> {
  const found = await createSeries(bench);
  const keys = found.map(({ variableKey }) => variableKey);
  const minutes = count / series;
  const minutesAtOnce = chunk / series;
  let next = 1;
  const fill = async (): Promise<void> => {
    await using sql = await openSql(bench.databaseUrl);
    while (next < minutes) {
      const first = next;
      next += minutesAtOnce;
      await sql.query(
        `insert into observations.observations (variable_key, at, value, admitted)
         select key, $2::timestamptz + number * interval '1 minute', 10 * sin(number / 500.0) + key % 7, 0
         from generate_series($3::int, $4::int) as number, unnest($1::bigint[]) as key`,
        [keys, start, first, Math.min(next, minutes) - 1],
      );
    }
  };
  await Promise.all([fill(), fill()]);
  const range = [keys, start, grownInstant(minutes - 1)];
  await bench.sql.query(
    'insert into observations.changes (variable_key, first_at, last_at) select key, $2, $3 from unnest($1::bigint[]) as key',
    range,
  );
  await bench.sql.query(
    'update observations.series set last_at = $2 where variable_key = any($1::bigint[])',
    range.toSpliced(1, 1),
  );
  await bench.sql.query('vacuum analyze observations.observations');
  return { series: found, minutes };
}
