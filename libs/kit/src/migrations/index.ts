import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { unavailable } from '../errors/index.js';
import { withoutOptions } from '../sql/connection-url.js';
import { sessionOptions, vanishedClients } from '../sql/session-options.js';

/** One migration file, `0001_create_runs.sql`. */
interface Migration {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
}

/** The migrations of one service. */
export interface MigrationSet {
  /** Name of the service, and of its schema. */
  readonly service: string;
  /** Folder with the files. */
  readonly directory: string;
}

/** What `migrate` did for one service. */
export interface MigrationResult {
  readonly service: string;
  readonly applied: readonly string[];
  readonly version: number;
}

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
/** Any two migrations of one database exclude each other by this advisory lock. */
const lockKey = 7_374_626_551;
const lockTimeoutMs = 10_000;

/** Finds `services/<name>/migrations` under a root. */
export async function findMigrations(root: string): Promise<MigrationSet[]> {
  const services = await readdir(join(root, 'services'));
  const sets = await Promise.all(
    services.sort().map(async (service) => {
      const directory = join(root, 'services', service, 'migrations');
      const files = await readdir(directory).catch(() => []);
      return files.length === 0 ? undefined : { service, directory };
    }),
  );
  return sets.filter((set) => set !== undefined);
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(fileName.exec(name)?.[1]);
      if (version !== index + 1)
        throw new Error(`${directory}/${name}: expected number ${index + 1}, as 0001_name.sql`);
      const text = await readFile(join(directory, name), 'utf8');
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

async function applySet(client: pg.Client, set: MigrationSet): Promise<MigrationResult> {
  const schema = pg.escapeIdentifier(set.service);
  await client.query(`create schema if not exists ${schema}`);
  await client.query(`create table if not exists ${schema}.migrations (
    version integer constraint migrations_pkey primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default now()
  )`);
  const ledger = await client.query<{ version: number; name: string; checksum: string }>(
    `select version, name, checksum from ${schema}.migrations order by version`,
  );
  const migrations = await readMigrations(set.directory);
  for (const row of ledger.rows) {
    const file = migrations[row.version - 1];
    // a newer release may have gone further: its migrations only add
    if (file !== undefined && file.checksum !== row.checksum) {
      throw new Error(`${set.service}/${file.name} was applied with another text; migrations are never edited`);
    }
  }
  const pending = migrations.slice(ledger.rows.length);
  for (const migration of pending) {
    await client.query('begin');
    try {
      await client.query(`insert into ${schema}.migrations (version, name, checksum) values ($1, $2, $3)`, [
        migration.version,
        migration.name,
        migration.checksum,
      ]);
      await client.query(migration.text);
      await client.query('commit');
    } catch (error) {
      // a broken connection has rolled back by itself
      await client.query('rollback').catch(() => undefined);
      throw new Error(`${set.service}/${migration.name}: ${(error as Error).message}`, { cause: error });
    }
  }
  return {
    service: set.service,
    applied: pending.map((migration) => migration.name),
    version: Math.max(migrations.length, ledger.rows.length),
  };
}

/** How far the schema of a service is, and how far this release wants it. */
export interface MigrationState {
  readonly service: string;
  readonly version: number;
  readonly latest: number;
}

async function withClient<T>(text: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const { url, given } = withoutOptions(text);
  const options = given + sessionOptions({ ...vanishedClients, timezone: 'UTC' });
  const client = new pg.Client({ connectionString: url, options, keepAlive: true });
  // a connection that breaks fails the statement in progress; the event would end the process
  client.on('error', () => undefined);
  await client.connect().catch((error: Error & { code?: string }) => {
    throw unavailable(`Cannot connect to the database: ${error.message || error.code}`, error);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Reads how far the schemas of services are. Changes nothing. */
export async function readMigrationStates(url: string, sets: readonly MigrationSet[]): Promise<MigrationState[]> {
  return await withClient(url, async (client) => {
    const states: MigrationState[] = [];
    for (const { service, directory } of sets) {
      const ledger = `${pg.escapeIdentifier(service)}.migrations`;
      const found = await client.query<{ is_there: boolean }>('select to_regclass($1) is not null as is_there', [
        ledger,
      ]);
      const version =
        found.rows[0]?.is_there === true
          ? (await client.query<{ version: number }>(`select coalesce(max(version), 0) as version from ${ledger}`))
              .rows[0]?.version
          : 0;
      states.push({ service, version: version ?? 0, latest: (await readMigrations(directory)).length });
    }
    return states;
  });
}

/**
 * Brings the schemas of services up to date, each file in a transaction of its own. Two that run
 * at once wait for each other; one that was killed can be run again.
 *
 * @param url - a login with the right to create schemas and roles
 * @param onWaiting - called when another one is at it, whose end is waited for
 */
export async function migrate(
  url: string,
  sets: readonly MigrationSet[],
  onWaiting: () => void = () => undefined,
): Promise<MigrationResult[]> {
  return await withClient(url, async (client) => {
    const tried = await client.query<{ is_locked: boolean }>('select pg_try_advisory_lock($1) as is_locked', [lockKey]);
    if (tried.rows[0]?.is_locked !== true) {
      onWaiting();
      await client.query('select pg_advisory_lock($1)', [lockKey]);
    }
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    const results: MigrationResult[] = [];
    for (const set of sets) results.push(await applySet(client, set));
    return results;
  });
}
