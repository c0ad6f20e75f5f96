import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createProcessGroup, type OnUnexpectedExit, type ProcessGroup } from '../processes/process-group.js';
import { natsSpec, natsUrl } from './nats.js';
import { postgresSpec, postgresUrl } from './postgres.js';
import { redisSpec, redisUrl } from './redis.js';
import { identityOf, type ServerName } from './server-identity.js';

/** Where the three servers answer. */
export interface ServerUrls {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
}

/** The programs of private servers. */
export interface ServerBinaries {
  /** Folder with initdb and postgres. */
  readonly postgresBin: string;
  readonly redisServer: string;
  readonly natsServer: string;
}

/** Servers, private or given. */
export interface Servers extends ServerUrls, AsyncDisposable {
  /** The private ones. */
  readonly group: ProcessGroup;
}

/**
 * Starts PostgreSQL, Redis and NATS for a checkout alone, on 127.0.0.1, with their data below
 * `directory`; those in `given` are used as they are and not started.
 */
export async function startServers(
  directory: string,
  options: {
    readonly binaries: ServerBinaries;
    readonly given?: Partial<ServerUrls>;
    /** Ports that they must have; remembered or free ones unless given. */
    readonly ports?: Partial<Record<ServerName, number>>;
    readonly onUnexpectedExit?: OnUnexpectedExit;
  },
): Promise<Servers> {
  const { binaries, given = {} } = options;
  const logs = join(directory, 'log');
  mkdirSync(logs, { recursive: true });
  const { password, ports } = await identityOf(directory, options.ports ?? {});
  const optionsOf = (name: ServerName) => ({
    directory,
    port: ports[name],
    password,
    logFile: join(logs, `${name}.log`),
    recordDirectory: join(directory, 'run'),
    env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
  });
  const postgres = optionsOf('postgres');
  const redis = optionsOf('redis');
  const nats = optionsOf('nats');
  const group = createProcessGroup(options.onUnexpectedExit);
  await group.addAll([
    ...(given.redisUrl === undefined ? [redisSpec(binaries.redisServer, redis)] : []),
    ...(given.natsUrl === undefined ? [natsSpec(binaries.natsServer, nats)] : []),
    ...(given.databaseUrl === undefined ? [postgresSpec(binaries.postgresBin, postgres)] : []),
  ]);
  return {
    databaseUrl: given.databaseUrl ?? postgresUrl(postgres),
    redisUrl: given.redisUrl ?? redisUrl(redis),
    natsUrl: given.natsUrl ?? natsUrl(nats),
    group,
    [Symbol.asyncDispose]: () => group[Symbol.asyncDispose](),
  };
}
