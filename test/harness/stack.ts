import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '@weir/kit/rpc';
import { createTestDatabase, deleteStream, testServer, waitUntilDrained } from '@weir/kit/testing';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { type Stack, type StackOptions, startStack } from '@weir/stack';
import { assertNoKeys } from './no-keys.js';

export { deleteStream };

/** Longer than a killed processor keeps messages to itself, several times over. */
const drainTimeoutMs = 100_000;

/** All of Weir with a database, a stream and Redis keys of a test's own. */
export interface TestStack
  extends AsyncDisposable,
    Pick<Stack, 'gatewayUrl' | 'gatewayUrls' | 'addresses' | 'process' | 'kill' | 'restart' | 'restartFrom'> {
  /** First part of its names on NATS. */
  readonly prefix: string;
  /** The database of this stack. */
  readonly databaseUrl: string;
  /** Where each process logs, in a file of its name. */
  readonly logDirectory: string;
  /** Waits until no run is queued. */
  drained(): Promise<void>;
  /** Ends a process with -9 and starts it again. */
  killAndRestart(name: string): Promise<void>;
  /** The most memory that a process ever had resident, in bytes. */
  residentBytesMax(name: string): Promise<number>;
}

/** Starts a stack as `./dev up` does, against the servers of the test run. Disposing leaves nothing behind, and fails where a key stands in a log. */
export async function openTestStack(
  options: Pick<StackOptions, 'processors' | 'env' | 'envOf' | 'replicas' | 'checkout'> = {},
): Promise<TestStack> {
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  await using opening = new AsyncDisposableStack();
  const database = opening.use(await createTestDatabase());
  const natsUrl = testServer('NATS_URL');
  opening.defer(() => deleteStream(natsUrl, prefix));
  // an answer that its operation does not declare fails the test that got it
  const envOf = { ...options.envOf, gateway: { UNDECLARED_ANSWERS: 'fail', ...options.envOf?.['gateway'] } };
  const servers = { databaseUrl: database.url, redisUrl: testServer('REDIS_URL'), natsUrl };
  const logDirectory = await mkdtemp(join(tmpdir(), 'weir-stack-'));
  opening.defer(() => assertNoKeys(database.url, logDirectory));
  const stack = opening.use(await startStack({ ...options, envOf, servers, prefix, logDirectory }));
  const ingestion = opening.use(connect(IngestionServiceDefinition, stack.addresses.ingestion));
  const open = opening.move();
  return {
    gatewayUrl: stack.gatewayUrl,
    gatewayUrls: stack.gatewayUrls,
    addresses: stack.addresses,
    process: stack.process,
    kill: stack.kill,
    restart: stack.restart,
    restartFrom: stack.restartFrom,
    logDirectory,
    prefix,
    databaseUrl: database.url,
    drained: () => waitUntilDrained(ingestion, drainTimeoutMs),
    async killAndRestart(name) {
      await stack.kill(name);
      await stack.restart(name);
    },
    async residentBytesMax(name) {
      const status = await readFile(`/proc/${stack.process(name).pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+([0-9]+) kB$/m.exec(status)?.[1]) * 1024;
    },
    async [Symbol.asyncDispose]() {
      // what was not well leaves its logs
      await open.disposeAsync();
      await rm(logDirectory, { recursive: true });
    },
  };
}
