import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findMigrations, migrate } from '@weir/kit/migrations';
import { type ServerBinaries, type Servers, startServers } from '@weir/stack';
import { root } from './checkout.js';

/** The servers of a stack by their names. */
export type ServerName = 'postgres' | 'redis' | 'nats';

/** PostgreSQL, Redis and NATS of a test's own, which it may kill, freeze and wipe. */
export interface PrivateServers
  extends AsyncDisposable,
    Pick<Servers, 'databaseUrl' | 'redisUrl' | 'natsUrl' | 'group'> {
  /** Where their data stand: `postgres` and `nats` below it. */
  readonly directory: string;
  /** Folder with PostgreSQL's programs. */
  readonly postgresBin: string;
  /** Ends a server at once: PostgreSQL by an immediate stop, the others with -9. */
  kill(name: ServerName): Promise<void>;
  start(name: ServerName): Promise<void>;
}

const run = promisify(execFile);

async function findBinaries(): Promise<ServerBinaries> {
  const { WEIR_POSTGRES_BIN, WEIR_REDIS_SERVER, WEIR_NATS_SERVER } = process.env;
  const found = async (name: string): Promise<string> =>
    (await run('bash', ['-c', `PATH=$PATH:/usr/local/bin:/usr/sbin:/usr/local/sbin command -v ${name}`])).stdout.trim();
  const postgres = async (): Promise<string> =>
    dirname(
      (await run('bash', ['-c', 'ls -d /usr/lib/postgresql/*/bin/postgres | sort -V | tail -n 1'])).stdout.trim(),
    );
  return {
    postgresBin: WEIR_POSTGRES_BIN ?? (await postgres()),
    redisServer: WEIR_REDIS_SERVER ?? (await found('redis-server')),
    natsServer: WEIR_NATS_SERVER ?? (await found('nats-server')),
  };
}

/** Starts them with data of their own, and makes the schemas of all services unless told not to. Disposing removes the data. */
export async function startPrivateServers({ migrates = true } = {}): Promise<PrivateServers> {
  await using opening = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'weir-servers-'));
  opening.defer(() => rm(directory, { recursive: true, force: true }));
  const binaries = await findBinaries();
  const servers = opening.use(await startServers(directory, { binaries }));
  if (migrates) await migrate(servers.databaseUrl, await findMigrations(root));
  const { databaseUrl, redisUrl, natsUrl, group } = servers;
  const open = opening.move();
  return {
    databaseUrl,
    redisUrl,
    natsUrl,
    group,
    directory,
    postgresBin: binaries.postgresBin,
    kill: (name) => group.kill(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL'),
    async start(name) {
      await group.restart(name);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
