import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { ProcessSpec } from '../processes/run-process.js';
import { type Account, postgresAccount } from './account.js';
import type { ServerOptions } from './server-options.js';

const user = 'weir';
const pollMs = 50;
/** What protects an answer of 200 stands as in production: fsync and synchronous_commit are on. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  max_wal_size: '4GB',
  jit: 'off',
  fsync: 'on',
  synchronous_commit: 'on',
};

/** URL of the private PostgreSQL. */
export function postgresUrl({ port, password }: ServerOptions, database = 'weir'): string {
  return `postgres://${user}:${password}@127.0.0.1:${port}/${database}`;
}

function isStarting(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === '57P03';
}

async function answers(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const found = await client.query("select from pg_database where datname = 'weir'");
      if (found.rowCount === 0) await client.query('create database weir');
      return;
    } catch (error) {
      if (!isStarting(error)) throw error;
      await sleep(pollMs, undefined, { signal });
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

/** Makes the data elsewhere and moves them when they are whole: what a killed one leaves is not taken for data. */
function makeData(initdb: string, data: string, account: Account, { password, env }: ServerOptions): void {
  const making = `${data}.making`;
  const passwordFile = `${data}.password`;
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making, { mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  account.own(passwordFile);
  account.own(making);
  const [command, args] = account.wrap(
    initdb,
    [
      ...['--pgdata', making, '--username', user, '--pwfile', passwordFile],
      ...['--auth', 'scram-sha-256', '--locale', 'C.UTF-8', '--encoding', 'UTF8', '--no-instructions'],
    ],
    'SIGKILL',
  );
  const made = spawnSync(command, args, { encoding: 'utf8', env });
  rmSync(passwordFile);
  if (made.status !== 0) throw new Error(`initdb failed:\n${made.stdout}${made.stderr}${made.error?.message ?? ''}`);
  renameSync(making, data);
}

/** PostgreSQL with data of its own below the directory, made when there are none. */
export function postgresSpec(binDirectory: string, options: ServerOptions): ProcessSpec {
  const { port, directory } = options;
  const data = join(directory, 'postgres');
  const account = postgresAccount(data);
  if (!existsSync(data)) makeData(join(binDirectory, 'initdb'), data, account, options);
  const flags = Object.entries({ ...settings, port }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const [command, args] = account.wrap(join(binDirectory, 'postgres'), ['-D', data, ...flags], 'SIGINT');
  return {
    ...options,
    name: 'postgres',
    command,
    args,
    ready: (signal) => answers(postgresUrl(options, 'postgres'), signal),
  };
}
