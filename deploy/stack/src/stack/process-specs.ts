import { join, resolve } from 'node:path';
import { repositoryRoot } from '../paths.js';
import { freePorts } from '../processes/free-port.js';
import type { ProcessSpec } from '../processes/run-process.js';
import type { DatabaseProcess, DatabaseUrls } from '../servers/logins.js';
import type { ServerUrls } from '../servers/start-servers.js';

/** The processes that have an address, by the name that the stack gives them. */
export const servingProcesses = [
  'access',
  'variables',
  'dashboards',
  'parsers',
  'ingestion',
  'observations',
  'gateway',
] as const;

/** One of them. */
export type ServingProcess = (typeof servingProcesses)[number];

/** Where each is called: host:port, or a gRPC target that names all of its replicas. */
export type Addresses = Readonly<Record<ServingProcess, string>>;

/** host:port of each replica of each. */
export type ReplicaAddresses = Readonly<Record<ServingProcess, readonly string[]>>;

/** What all processes of one stack have in common. */
export interface StackSettings {
  readonly servers: ServerUrls;
  /** The database, by each process's own login. */
  readonly databaseUrls: DatabaseUrls;
  readonly listening: ReplicaAddresses;
  readonly addresses: Addresses;
  /** First part of names in NATS and Redis. */
  readonly prefix: string;
  /** Base64 of 32 bytes, by which cursors are authenticated. */
  readonly cursorKey: string;
  readonly logDirectory: string;
  readonly recordDirectory: string;
  /** Further settings: of all processes, or of one by its name (`processor` for all processors). */
  readonly env: Readonly<Record<string, string>>;
  readonly envOf: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The built checkout that a process comes from, by its name. */
  readonly checkoutOf: (name: string) => string;
}

/** Processes are started as the image starts them, by their roles there. */
const entryPoint = 'deploy/image/entrypoint.mjs';
/** V8 has as many threads beside the program as there are cores to spare, and not four. */
export const nodeFlags: readonly string[] = ['--v8-pool-size=0'];
/**
 * Of the processes that pass on much and keep little: the most MiB of each half of their young generations. Less of it is
 * more small collections, and less memory. The chart has them too (docs/decisions/0020-an-export-walks-a-snapshot.md and 0052-a-heap-doubles-before-it-is-collected.md).
 */
export const leanSemiSpaceMiB: ReadonlyMap<string, number> = new Map([
  ['gateway', 16],
  ['observations', 8],
  ['processor', 8],
  ['ingestion', 4],
]);
const inherited = /^(PATH|HOME|TMPDIR|LOG_LEVEL|OTEL_.*|NODE_V8_COVERAGE|NODE_EXTRA_CA_CERTS)$/;
/** What was compiled before lets a process start sooner, and holds some 10 MB that lean ones do without. */
const inheritedUnlessLean = 'NODE_COMPILE_CACHE';

/** Addresses on ports that are free now; the gateway's may be given. */
export async function newAddresses(gatewayPort?: number): Promise<Addresses> {
  const ports = await freePorts(servingProcesses.length);
  const entries = servingProcesses.map((name, i) => {
    const port = name === 'gateway' && gatewayPort !== undefined ? gatewayPort : ports[i];
    return [name, `127.0.0.1:${port}`] as const;
  });
  return Object.fromEntries(entries) as Addresses;
}

/** The addresses of first replicas, each with those of its further ones. */
export async function withReplicas(first: Addresses, replicas: number): Promise<ReplicaAddresses> {
  const taken = new Set(Object.values(first).map((address) => Number(address.slice(address.lastIndexOf(':') + 1))));
  const count = servingProcesses.length * (replicas - 1);
  // nobody listens on those of the first yet
  const ports = count === 0 ? [] : (await freePorts(count + taken.size)).filter((port) => !taken.has(port));
  const entries = servingProcesses.map((name) => {
    const further = ports.splice(0, replicas - 1).map((port) => `127.0.0.1:${port}`);
    return [name, [first[name], ...further]] as const;
  });
  return Object.fromEntries(entries) as unknown as ReplicaAddresses;
}

/** Where each is called. */
export function callAddresses(listening: ReplicaAddresses): Addresses {
  const entries = Object.entries(listening).map(([name, all]) => [
    name,
    all.length === 1 ? all[0] : `ipv4:${all.join(',')}`,
  ]);
  return Object.fromEntries(entries) as Addresses;
}

function nodeProcess(
  settings: StackSettings,
  { name, kind, env }: { readonly name: string; readonly kind: string; readonly env: Record<string, string> },
): ProcessSpec {
  const entry = join(settings.checkoutOf(name), entryPoint);
  const semiSpaceMiB = leanSemiSpaceMiB.get(kind);
  const isLean = semiSpaceMiB !== undefined;
  const isInherited = (name: string): boolean => inherited.test(name) || (name === inheritedUnlessLean && !isLean);
  const own = Object.entries(process.env).filter(([name]) => isInherited(name)) as [string, string][];
  return {
    name,
    command: process.execPath,
    args: [...nodeFlags, ...(isLean ? [`--max-semi-space-size=${semiSpaceMiB}`] : []), entry, kind],
    env: {
      ...Object.fromEntries(own),
      OTEL_SERVICE_NAME: `weir-${kind}`,
      ...env,
      ...settings.env,
      ...settings.envOf[kind],
      // one address is of one process
      ...(name === kind || kind === 'processor' ? {} : { METRICS_ADDRESS: '' }),
      ...settings.envOf[name],
    },
    logFile: join(settings.logDirectory, `${name}.log`),
    recordDirectory: settings.recordDirectory,
  };
}

/** Where the services of a stack are called, as processes that call them are told. */
export function addressesEnv(addresses: Addresses) {
  return {
    ACCESS_ADDRESS: addresses.access,
    VARIABLES_ADDRESS: addresses.variables,
    DASHBOARDS_ADDRESS: addresses.dashboards,
    PARSERS_ADDRESS: addresses.parsers,
    INGESTION_ADDRESS: addresses.ingestion,
    OBSERVATIONS_ADDRESS: addresses.observations,
  };
}

/** The environment that every part of a stack may need, by the names that their configurations declare. */
function sharedEnv({ servers, addresses, prefix }: StackSettings) {
  return {
    nats: { NATS_URL: servers.natsUrl, NATS_STREAM_PREFIX: prefix },
    redis: { REDIS_URL: servers.redisUrl, REDIS_KEY_PREFIX: prefix },
    services: addressesEnv(addresses),
  };
}

/** Processes of another release run as roles of its own, and are given the login of all. */
function databaseEnv(settings: StackSettings, kind: DatabaseProcess, name: string): { DATABASE_URL: string } {
  const isOurs = resolve(settings.checkoutOf(name)) === repositoryRoot;
  return { DATABASE_URL: isOurs ? settings.databaseUrls[kind] : settings.servers.databaseUrl };
}

/** Everything but the processors. */
export function servingSpecs(settings: StackSettings): ProcessSpec[] {
  const { nats, redis, services } = sharedEnv(settings);
  const envOf = (kind: ServingProcess, name: string): Record<string, string> => {
    if (kind === 'gateway') return { ...redis, ...services, CURSOR_KEYS: settings.cursorKey };
    return { ...databaseEnv(settings, kind, name), ...(kind === 'ingestion' && nats) };
  };
  return servingProcesses.flatMap((kind) =>
    settings.listening[kind].map((address, i) => {
      const name = i === 0 ? kind : `${kind}-${i + 1}`;
      return nodeProcess(settings, {
        name,
        kind,
        env: { LISTEN_ADDRESS: address, ...envOf(kind, name) },
      });
    }),
  );
}

/** Processor number `number`, from 1. */
export function processorSpec(settings: StackSettings, number: number): ProcessSpec {
  const { nats, services } = sharedEnv(settings);
  const name = `processor-${number}`;
  return nodeProcess(settings, {
    name,
    kind: 'processor',
    env: {
      LISTEN_ADDRESS: '127.0.0.1:0',
      ...databaseEnv(settings, 'processor', name),
      ...nats,
      VARIABLES_ADDRESS: services.VARIABLES_ADDRESS,
      INGESTION_ADDRESS: services.INGESTION_ADDRESS,
    },
  });
}
