import { openDatabase, openSql } from './bench.js';

const mebibytes = 1024;

/**
 * Has the server reuse the files of its log, as one does that has run for a day. A new one makes each file when it gets there:
 * 16 MiB of zeros, for which every commit waits, once a second at full load. Files that a checkpoint leaves behind are
 * reused, as many as were written between two checkpoints lately; nothing makes them but writing. What is left is used up by
 * a family or two that write much, and not made good before the next checkpoint: each begins with as many. A login that may
 * not take one is of a server that was given, and has run.
 */
export async function wearLogIn(): Promise<void> {
  await using database = await openDatabase();
  await using sql = await openSql(database.url);
  const { rows } = await sql.query<{ may: boolean }>(
    `select current_setting('is_superuser')::boolean or pg_has_role('pg_checkpoint', 'usage') as may`,
  );
  if (rows[0]?.may !== true) return;
  await sql.query(
    `select count(pg_logical_emit_message(true, 'bench', repeat('x', 1024 * 1024))) from generate_series(1, $1::int)`,
    [mebibytes],
  );
  await sql.query('checkpoint');
}
