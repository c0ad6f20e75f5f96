import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isServing } from '@weir/kit/rpc';
import { repositoryRoot } from '../paths.js';
import { createProcessGroup, type OnUnexpectedExit, type ProcessGroup } from '../processes/process-group.js';
import type { RunningProcess } from '../processes/run-process.js';
import { type DatabaseUrls, makeLogins } from '../servers/logins.js';
import type { ServerUrls } from '../servers/start-servers.js';
import {
  type Addresses,
  callAddresses,
  newAddresses,
  processorSpec,
  type StackSettings,
  servingSpecs,
  withReplicas,
} from './process-specs.js';

/** How a stack is started. */
export interface StackOptions {
  readonly servers: ServerUrls;
  /** The database, for each process; by a login of its own that is made unless given. */
  readonly databaseUrls?: DatabaseUrls;
  /** How many processors; 1 unless given. */
  readonly processors?: number;
  /** How many of every other process, which share what is called; 1 unless given. */
  readonly replicas?: number;
  /** Root of the built checkout that all processes come from; this one unless given. */
  readonly checkout?: string;
  /** First part of names in NATS and Redis, so that stacks can share servers; `weir` unless given. */
  readonly prefix?: string;
  /** Base64 of 32 bytes; a new one unless given, and then cursors end with the stack. */
  readonly cursorKey?: string;
  /** The gateway's port; a free one unless given. */
  readonly port?: number;
  /** Where its processes listen; at free ports unless given. */
  readonly addresses?: Addresses;
  /** Settings of all processes on top of what the stack sets itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** Settings of one process by name; `processor` is every processor. */
  readonly envOf?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** One log a process; a folder that is removed when all went well unless given. */
  readonly logDirectory?: string;
  /** Where processes are recorded; beside the logs unless given. */
  readonly recordDirectory?: string;
  readonly onUnexpectedExit?: OnUnexpectedExit;
}

/** All of Weir, running as child processes. */
export interface Stack extends Pick<ProcessGroup, 'processes' | 'process' | 'kill'>, AsyncDisposable {
  readonly gatewayUrl: string;
  /** One of each gateway. */
  readonly gatewayUrls: readonly string[];
  readonly addresses: Addresses;
  readonly servers: ServerUrls;
  readonly logDirectory: string;
  /** Starts a process again as it was started before, once the present one has ended. */
  restart(name: string): Promise<RunningProcess>;
  /** Starts a process again, once it has ended, from another built checkout. */
  restartFrom(name: string, checkout: string): Promise<RunningProcess>;
  /** Starts one more processor. */
  addProcessor(): Promise<RunningProcess>;
  /** Waits until every part says that it serves. */
  ready(): Promise<void>;
}

const pollMs = 50;
const readyTimeoutMs = 60_000;

async function isReadyGateway(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}

async function waitUntilServing(processes: readonly RunningProcess[]): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  const checks = processes.map(async ({ name, address = '' }) => {
    const check = name.startsWith('gateway') ? () => isReadyGateway(`http://${address}`) : () => isServing(address);
    while (!(await check())) {
      if (Date.now() > deadline) throw new Error(`${name} at ${address} is not ready after ${readyTimeoutMs / 1000} s`);
      await sleep(pollMs);
    }
  });
  await Promise.all(checks);
}

/**
 * Starts all of Weir as `./dev up` does: one child process a part, against migrated servers. Its
 * processes end with this one, however it ends. Disposing stops them and fails when one of them
 * had ended by itself or did not stop cleanly.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const logDirectory = options.logDirectory ?? mkdtempSync(join(tmpdir(), 'weir-stack-'));
  mkdirSync(logDirectory, { recursive: true });
  const first = options.addresses ?? (await newAddresses(options.port));
  const listening = await withReplicas(first, options.replicas ?? 1);
  const addresses = callAddresses(listening);
  const checkouts = new Map<string, string>();
  const settings: StackSettings = {
    servers: options.servers,
    databaseUrls: options.databaseUrls ?? (await makeLogins(options.servers.databaseUrl)),
    listening,
    addresses,
    checkoutOf: (name) => checkouts.get(name) ?? options.checkout ?? repositoryRoot,
    prefix: options.prefix ?? 'weir',
    cursorKey: options.cursorKey ?? randomBytes(32).toString('base64'),
    logDirectory,
    recordDirectory: options.recordDirectory ?? logDirectory,
    env: options.env ?? {},
    envOf: options.envOf ?? {},
  };
  let processors = options.processors ?? 1;
  const group = createProcessGroup(options.onUnexpectedExit);
  const gatewayUrls = listening.gateway.map((address) => `http://${address}`);
  const specs = () => [
    ...Array.from({ length: processors }, (_, index) => processorSpec(settings, index + 1)),
    ...servingSpecs(settings),
  ];
  await group.addAll(specs());
  const stack: Stack = {
    gatewayUrl: gatewayUrls[0] ?? '',
    gatewayUrls,
    addresses,
    servers: options.servers,
    logDirectory,
    get processes() {
      return group.processes;
    },
    process: group.process,
    kill: group.kill,
    restart: (name) => group.restart(name),
    restartFrom(name, checkout) {
      checkouts.set(name, checkout);
      return group.restart(
        name,
        specs().find((spec) => spec.name === name),
      );
    },
    async addProcessor() {
      processors++;
      const spec = processorSpec(settings, processors);
      await group.addAll([spec]);
      return group.process(spec.name);
    },
    ready: () => waitUntilServing(group.processes),
    async [Symbol.asyncDispose]() {
      await group[Symbol.asyncDispose]();
      if (options.logDirectory === undefined) rmSync(logDirectory, { recursive: true });
    },
  };
  try {
    await stack.ready();
    return stack;
  } catch (error) {
    // what ended by itself is why the rest did not become ready
    const ended = await Promise.resolve(group[Symbol.asyncDispose]()).catch((fault: Error) => fault.message);
    throw new Error(`${(error as Error).message}\n${ended ?? ''}`, { cause: error });
  }
}
