import { join } from 'node:path';
import type { ServerName } from './servers/server-identity.js';
import type { ServerBinaries, ServerUrls } from './servers/start-servers.js';

/** What a command of ./dev works with: where things stand, and what its caller's environment says. */
export interface Environment {
  /** Private data; its folders are below. */
  readonly dataDirectory: string;
  readonly logDirectory: string;
  /** Records of processes and of the running stack. */
  readonly runDirectory: string;
  readonly given: Partial<ServerUrls>;
  readonly binaries: ServerBinaries;
  readonly ports: Partial<Record<ServerName | 'gateway', number>>;
}

/** A command was called wrongly: told without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

function portOf(env: NodeJS.ProcessEnv, name: string): number | undefined {
  const text = env[name];
  if (text === undefined || text === '') return undefined;
  const port = Number(text);
  if (!/^[0-9]+$/.test(text) || port < 1 || port > 65_535)
    throw new UsageError(`${name} is ${text}, but must be a port`);
  return port;
}

function defined<T extends Record<string, unknown>>(record: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined && value !== '')) as never;
}

/** Reads what the script `dev` and its caller have set. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const dataDirectory = env['WEIR_DATA_DIR'];
  if (dataDirectory === undefined) throw new UsageError('run this through ./dev');
  return {
    dataDirectory,
    logDirectory: join(dataDirectory, 'log'),
    runDirectory: join(dataDirectory, 'run'),
    given: defined({ databaseUrl: env['DATABASE_URL'], redisUrl: env['REDIS_URL'], natsUrl: env['NATS_URL'] }),
    binaries: {
      postgresBin: env['WEIR_POSTGRES_BIN'] ?? '',
      redisServer: env['WEIR_REDIS_SERVER'] ?? '',
      natsServer: env['WEIR_NATS_SERVER'] ?? '',
    },
    ports: defined({
      gateway: portOf(env, 'WEIR_PORT'),
      postgres: portOf(env, 'WEIR_POSTGRES_PORT'),
      redis: portOf(env, 'WEIR_REDIS_PORT'),
      nats: portOf(env, 'WEIR_NATS_PORT'),
    }),
  };
}
