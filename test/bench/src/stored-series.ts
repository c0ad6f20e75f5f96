import type { Bench } from './bench.js';

/** A variable with observations that SQL has made. */
export interface StoredSeries {
  readonly variableId: string;
  readonly variableKey: number;
}

/** Observations to make: one each `stepS` from 2025-01-01 on, of each of so many variables of one instrument. */
export interface StoredOrder {
  readonly instrument: string;
  readonly variables: number;
  readonly count: number;
  readonly stepS: number;
}

export const storedStart = '2025-01-01T00:00:00Z';

/** The instant of observation `number` of a series. */
export function storedInstant(number: number, stepS: number): string {
  return new Date(Date.parse(storedStart) + number * stepS * 1000).toISOString();
}

/** Makes the variables by one point that the API admits, and then stores what processors would have stored. */
export async function storeSeries(bench: Bench, order: StoredOrder): Promise<StoredSeries[]> {
  const { instrument, variables, count, stepS } = order;
  const point = {
    instrument_timestamp: storedStart,
    instrument_name: instrument,
    ingested_variables: Array.from({ length: variables }, (_, i) => ({ name: `variable ${i}`, value: 0 })),
  };
  const answer = await fetch(`${bench.origin}/v1/ingest`, {
    method: 'POST',
    headers: bench.ingestionHeaders,
    body: JSON.stringify({ data: [point] }),
  });
  if (answer.status !== 200) throw new Error(`the first point: ${answer.status} ${await answer.text()}`);
  await bench.drained();
  const { rows } = await bench.sql.query<{ id: string; key: string }>(
    `select variable.id, variable.variable_key as key
     from variables.variables as variable join variables.instruments as instrument on instrument.id = variable.instrument_id
     where instrument.name = $1 order by variable.variable_key`,
    [instrument],
  );
  const keys = rows.map(({ key }) => key);
  await bench.sql.query('begin');
  // in the order of time, as they arrive: the series lie between each other
  await bench.sql.query(
    `insert into observations.observations (variable_key, at, value, admitted)
     select key, $2::timestamptz + number * $4 * interval '1 second', 10 * sin(number / 500.0) + key % 7 + (number::bigint * 7919 % 1009) / 1009.0, 0
     from generate_series(1, $3::int - 1) as number, unnest($1::bigint[]) as key`,
    [keys, storedStart, count, stepS],
  );
  await bench.sql.query(
    `update observations.series set last_at = $2::timestamptz + ($3::int - 1) * $4 * interval '1 second'
     where variable_key = any($1::bigint[])`,
    [keys, storedStart, count, stepS],
  );
  await bench.sql.query(
    `insert into observations.changes (variable_key, first_at, last_at)
     select key, $2::timestamptz, $2::timestamptz + ($3::int - 1) * $4 * interval '1 second' from unnest($1::bigint[]) as key`,
    [keys, storedStart, count, stepS],
  );
  await bench.sql.query('commit');
  await bench.sql.query('vacuum analyze observations.observations');
  return rows.map(({ id, key }) => ({ variableId: id, variableKey: Number(key) }));
}

/** Waits until the rollups of series reach so far. @throws Error when they do not in time */
export async function untilRolledUp(
  bench: Bench,
  series: readonly StoredSeries[],
  until: string,
  timeoutMs = 600_000,
): Promise<void> {
  const keys = series.map(({ variableKey }) => variableKey);
  for (const deadline = Date.now() + timeoutMs; ; ) {
    const { rows } = await bench.sql.query(
      'select count(*)::int as count from observations.rollup_states where variable_key = any($1) and until >= $2',
      [keys, until],
    );
    if (rows[0].count === keys.length) break;
    if (Date.now() > deadline) throw new Error(`rollups do not reach ${until}`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  await bench.sql.query('vacuum analyze observations.rollups');
}
