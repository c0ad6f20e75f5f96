import type { Bench } from './bench.js';
import { cpuSeconds } from './cpu-seconds.js';
import type { Sample } from './ratio.js';

const kinds = ['gateway', 'ingestion', 'processor', 'observations', 'variables', 'access'] as const;

/** What a moment's processes had used. */
interface Usage {
  /** Seconds of processor time by kind of process, and of each backend of the database that runs on this machine. */
  readonly seconds: ReadonlyMap<string, number>;
  readonly backends: ReadonlyMap<number, number>;
  readonly walBytes: number;
}

function secondsOf(pid: number): number | undefined {
  try {
    return cpuSeconds(pid);
  } catch {
    // it has ended, or runs on another machine
    return undefined;
  }
}

/** What all parts have used until now. */
export async function usageOf({ stack, sql }: Bench): Promise<Usage> {
  const seconds = new Map<string, number>();
  for (const { name, pid } of stack.processes) {
    const kind = kinds.find((each) => name === each || name.startsWith(`${each}-`));
    if (kind !== undefined) seconds.set(kind, (seconds.get(kind) ?? 0) + (secondsOf(pid) ?? 0));
  }
  const { rows } = await sql.query<{ pid: number; wal: number }>(
    `select pid, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal
     from pg_stat_activity where datname = current_database()`,
  );
  const backends = rows.flatMap(({ pid }) => {
    const used = secondsOf(pid);
    return used === undefined ? [] : [[pid, used] as const];
  });
  return { seconds, backends: new Map(backends), walBytes: rows[0]?.wal ?? 0 };
}

/** What points cost between two moments: microseconds of processor time of each part, and bytes that the database logged. */
export function costsPerPoint(before: Usage, after: Usage, points: number): Sample {
  const costs: Record<string, number> = {};
  for (const [kind, seconds] of after.seconds)
    costs[`${kind}UsPerPoint`] = ((seconds - (before.seconds.get(kind) ?? 0)) * 1e6) / points;
  const database = [...after.backends].reduce((sum, [pid, used]) => sum + used - (before.backends.get(pid) ?? 0), 0);
  if (after.backends.size > 0) costs['databaseUsPerPoint'] = (database * 1e6) / points;
  costs['walBytesPerPoint'] = (after.walBytes - before.walBytes) / points;
  return costs;
}
