import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findMigrations, type MigrationSet, migrate } from '../migrations/index.js';

/** The root of the repository, whose migrations databases have. */
const root = join(import.meta.dirname, '../../../..');

/** Any two tests that make a database from a template exclude each other by this lock. */
const lockKey = 7_374_626_552;

/** Reads a variable that `./dev test` sets, such as DATABASE_URL. */
export function testServer(name: 'DATABASE_URL' | 'REDIS_URL' | 'NATS_URL'): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: run the tests with ./dev test, which starts the servers`);
  return value;
}

/** A database of a test's own. Disposing drops it, and fails when a connection to it was left open. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

async function templateName(sets: readonly MigrationSet[]): Promise<string> {
  const hash = createHash('sha256');
  for (const set of sets) {
    for (const file of (await readdir(set.directory)).sort()) {
      hash.update(`${set.service}/${file}\n`).update(await readFile(join(set.directory, file)));
    }
  }
  return `weir_template_${hash.digest('hex').slice(0, 16)}`;
}

function withDatabase(url: string, database: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${database}`;
  return parsed.toString();
}

function testDatabase(adminUrl: string, name: string): TestDatabase {
  return {
    url: withDatabase(adminUrl, name),
    async [Symbol.asyncDispose]() {
      await administer(adminUrl, (admin) => admin.query(`drop database ${name}`));
    },
  };
}

async function administer<T>(adminUrl: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

const newName = (): string => `weir_test_${randomBytes(8).toString('hex')}`;

/** Creates an empty database, for tests of migrations themselves. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const adminUrl = testServer('DATABASE_URL');
  const name = newName();
  await administer(adminUrl, (admin) => admin.query(`create database ${name}`));
  return testDatabase(adminUrl, name);
}

/** Makes the template that has these schemas, unless it is there. Any number may clone it at a time. */
async function ensureTemplate(admin: pg.Client, adminUrl: string, sets: readonly MigrationSet[]): Promise<string> {
  const template = await templateName(sets);
  const isThere = async (): Promise<boolean> =>
    (await admin.query('select from pg_database where datname = $1', [template])).rowCount === 1;
  if (await isThere()) return template;
  await admin.query('select pg_advisory_lock($1)', [lockKey]);
  try {
    if (await isThere()) return template;
    const making = `${template}_making`;
    await admin.query(`drop database if exists ${making}`);
    await admin.query(`create database ${making}`);
    await migrate(withDatabase(adminUrl, making), sets);
    await admin.query(`alter database ${making} rename to ${template}`);
    return template;
  } finally {
    await admin.query('select pg_advisory_unlock($1)', [lockKey]);
  }
}

/**
 * Clones a database that has the schemas of services. The fewer there are, the sooner it is made.
 *
 * @param services - all of them unless given
 */
export async function createTestDatabase(...services: readonly string[]): Promise<TestDatabase> {
  const adminUrl = testServer('DATABASE_URL');
  const sets = await findMigrations(root);
  const wanted = services.length === 0 ? sets : sets.filter(({ service }) => services.includes(service));
  const name = newName();
  await administer(adminUrl, async (admin) => {
    const template = await ensureTemplate(admin, adminUrl, wanted);
    await admin.query(`create database ${name} template ${template}`);
  });
  return testDatabase(adminUrl, name);
}
