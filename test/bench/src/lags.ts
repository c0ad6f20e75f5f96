import type { Bench } from './bench.js';
import type { LoadResult } from './load.js';

/** From the beginning of each request to the moment its observations were stored and its runs told so, in milliseconds. */
export async function lagsOf(
  { sql }: Bench,
  { startsMs, keyPrefix }: LoadResult & { keyPrefix: string },
): Promise<number[]> {
  const { rows } = await sql.query<{ number: number; finished_ms: number }>(
    `select substr(keys.key, length($1) + 2)::int as number,
       extract(epoch from results.finished_at)::float8 * 1000 as finished_ms
     from ingestion.idempotency_keys as keys
     join ingestion.batch_results as results using (batch_id)
     where keys.key like $1 || '-%' and results.finished_at is not null`,
    [keyPrefix],
  );
  if (rows.length !== startsMs.length) throw new Error(`${rows.length} of ${startsMs.length} batches have finished`);
  return rows.map((row) => row.finished_ms - (startsMs[row.number] as number));
}
