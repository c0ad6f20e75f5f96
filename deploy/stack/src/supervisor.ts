import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMigrations, migrate } from '@weir/kit/migrations';
import { openDemo } from './demo/demo.js';
import { startFeeder } from './demo/feeder.js';
import type { Environment } from './environment.js';
import type { Observing } from './observe/start-observing.js';
import { repositoryRoot } from './paths.js';
import { isFreePort } from './processes/free-port.js';
import { keepRunning } from './processes/keep-running.js';
import { claimProcess, findProcesses, releaseProcess, stopProcess } from './processes/process-record.js';
import { type RunningStack, removeRunningStack, supervisor, writeRunningStack } from './running-stack.js';
import { startServers } from './servers/start-servers.js';
import { startStack } from './stack/start-stack.js';
import { writeWhole } from './write-whole.js';

/** Tells a person how far something is. */
export type Report = (line: string) => void;

/** A stack that is kept running until disposed. */
export interface SupervisedStack extends AsyncDisposable {
  readonly stack: RunningStack;
}

/** What a stack needs again when it is started the next time. */
interface Remembered {
  readonly cursorKey: string;
  readonly port?: number;
}

function remembered(file: string): Remembered {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Remembered;
  } catch {
    return { cursorKey: randomBytes(32).toString('base64') };
  }
}

async function gatewayPort(given: number | undefined, last: number | undefined): Promise<number | undefined> {
  if (given !== undefined && !(await isFreePort(given))) {
    throw new Error(`WEIR_PORT is ${given}, but that port is in use.`);
  }
  return given ?? (last !== undefined && (await isFreePort(last)) ? last : undefined);
}

/**
 * Brings everything up and keeps it so: a part that ends by itself is started again. What an earlier
 * supervisor left running (one that was killed) is stopped first.
 *
 * @param observing - what watches it
 */
export async function superviseStack(
  environment: Environment,
  report: Report,
  observing?: Pick<Observing, 'env' | 'envOf'>,
): Promise<SupervisedStack> {
  const { dataDirectory, logDirectory, runDirectory } = environment;
  mkdirSync(logDirectory, { recursive: true });
  if (!(await claimProcess(runDirectory, supervisor))) throw new Error('another ./dev up is at work here');
  await using started = new AsyncDisposableStack();
  started.defer(() => releaseProcess(runDirectory, supervisor));
  await removeRunningStack(runDirectory);
  const left = (await findProcesses(runDirectory)).filter(({ name }) => name !== supervisor);
  await Promise.all(left.map((process) => stopProcess(runDirectory, process)));

  const keeper = started.use(keepRunning(report));
  // what ended by itself was reported then, and is no reason not to stop the rest
  const stopQuietly = async (part: AsyncDisposable): Promise<void> => {
    await Promise.resolve(part[Symbol.asyncDispose]()).catch(() => undefined);
  };
  started.defer(() => removeRunningStack(runDirectory));
  report('starting PostgreSQL, Redis and NATS');
  const servers = await startServers(dataDirectory, { ...environment, onUnexpectedExit: keeper.ended });
  started.defer(() => stopQuietly(servers));

  report('migrating');
  await migrate(servers.databaseUrl, await findMigrations(repositoryRoot));

  report('starting the services');
  const file = join(dataDirectory, 'stack.json');
  const last = remembered(file);
  const port = await gatewayPort(environment.ports.gateway, last.port);
  const stack = await startStack({
    servers,
    cursorKey: last.cursorKey,
    ...(port === undefined ? {} : { port }),
    ...(observing !== undefined && { env: observing.env, envOf: observing.envOf }),
    logDirectory,
    recordDirectory: runDirectory,
    onUnexpectedExit: keeper.ended,
  });
  started.defer(() => stopQuietly(stack));
  started.use(keeper);
  const { gatewayUrl, addresses } = stack;
  writeWhole(file, JSON.stringify({ cursorKey: last.cursorKey, port: Number(new URL(gatewayUrl).port) }));

  const demo = await openDemo(gatewayUrl, addresses, join(dataDirectory, 'demo.json'));
  started.use(startFeeder(gatewayUrl, demo, (error) => report(`the demo's device: ${String(error)}`)));
  const { databaseUrl, redisUrl, natsUrl } = servers;
  const metricsAddress = observing?.envOf['gateway']?.['METRICS_ADDRESS'];
  const running: RunningStack = {
    gatewayUrl,
    ...(metricsAddress !== undefined && { metricsUrl: `http://${metricsAddress}/metrics` }),
    addresses,
    servers: { databaseUrl, redisUrl, natsUrl },
    demo,
  };
  writeRunningStack(runDirectory, running);
  const parts = started.move();
  return { stack: running, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}
