import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connectNats, runsStream } from '@weir/kit/nats';
import { connect } from '@weir/kit/rpc';
import { openPool, type Pool } from '@weir/kit/sql';
import { waitUntilDrained } from '@weir/kit/testing';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { freePorts, type Stack, type StackOptions, startStack } from '@weir/stack';
import { waitUntilComputed } from './computed.js';
import { assertNoKeys } from './no-keys.js';
import { type PrivateServers, startPrivateServers } from './private-servers.js';

const prefix = 'faults';
/** Longer than any fault holds a message back. */
const drainTimeoutMs = 100_000;
/** What was processed is acknowledged within it. */
const messagesTimeoutMs = 15_000;
const pollMs = 50;
/** Room for a few messages. */
const fullBytes = 16_384;

/** When the sweeper takes what was published for lost, and how often it looks. */
export const sweepMs = { after: 2000, interval: 500 } as const;
/** Faults end sooner than in production: what a dead process had in hand and what the stream lost come back within seconds. */
const hurried: Readonly<Record<string, Record<string, string>>> = {
  // an answer that its operation does not declare fails the test that got it
  gateway: { UNDECLARED_ANSWERS: 'fail' },
  ingestion: { SWEEP_INTERVAL_MS: String(sweepMs.interval), SWEEP_AFTER_MS: String(sweepMs.after) },
};
const hurriedProcessor = { ACK_WAIT_MS: '3000', RETRY_DELAY_MS: '200' } as const;

/** The processes whose metrics can be asked for. */
const scraped = ['gateway', 'ingestion', 'processor-1', 'processor-2'] as const;

/** All of Weir on servers of its own, any part of which may be broken. */
export interface FaultStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly servers: PrivateServers;
  /** The database, not through any proxy. */
  readonly database: Pool;
  /** Waits until nothing is queued and nothing is marked to be computed. */
  settled(timeoutMs?: number): Promise<void>;
  /** Messages in the stream; waits a moment for those that are acknowledged just now. */
  messages(): Promise<number>;
  /** Where the gateway tells its metrics. */
  readonly metricsUrl: string;
  /** The sum of all series of a metric, as Prometheus would scrape it from a process; or of those with such labels. */
  metric(process: (typeof scraped)[number], name: string, labels?: RegExp): Promise<number>;
  /** Has the stream lose what is in it, while no processor takes it: a moment of load must go on meanwhile. */
  loseMessages(): Promise<void>;
  /** Has the stream be too small for what comes during `work`, while no processor takes anything out of it. */
  withFullStream(work: () => Promise<void>): Promise<void>;
}

async function withStream<T>(url: string, work: (manager: JetStreamManager, stream: string) => Promise<T>): Promise<T> {
  const nats = await connectNats(url, 'test');
  try {
    return await work(await jetstreamManager(nats), runsStream(prefix).stream);
  } finally {
    await nats.close();
  }
}

/** How a stack with faults is started. */
export interface FaultOptions
  extends Pick<
    StackOptions,
    'processors' | 'replicas' | 'checkout' | 'addresses' | 'env' | 'envOf' | 'onUnexpectedExit'
  > {
  /** What the stack is told of the servers, where it is not the truth: proxies. */
  readonly urlsOf?: (servers: PrivateServers) => Partial<StackOptions['servers']>;
}

/** Starts servers and stack. */
export async function openFaultStack(options: FaultOptions = {}): Promise<FaultStack> {
  await using opening = new AsyncDisposableStack();
  const servers = opening.use(await startPrivateServers());
  const { databaseUrl, redisUrl, natsUrl } = servers;
  const { urlsOf, envOf = {}, ...given } = options;
  const ports = await freePorts(scraped.length);
  const portOf = new Map<string, number | undefined>(scraped.map((name, at) => [name, ports[at]]));
  const scrapedAt = scraped.map((name): [string, Record<string, string>] => [
    name,
    { METRICS_ADDRESS: `127.0.0.1:${portOf.get(name)}`, ...hurried[name], ...envOf[name] },
  ]);
  const logDirectory = await mkdtemp(join(tmpdir(), 'weir-stack-'));
  opening.defer(() => assertNoKeys(databaseUrl, logDirectory));
  const stack = opening.use(
    await startStack({
      ...given,
      logDirectory,
      servers: { databaseUrl, redisUrl, natsUrl, ...urlsOf?.(servers) },
      prefix,
      envOf: {
        ...envOf,
        ...Object.fromEntries(scrapedAt),
        processor: { ...hurriedProcessor, ...envOf['processor'] },
      },
    }),
  );
  const database = opening.use(openPool({ url: databaseUrl, max: 2 }));
  const drained = async (timeoutMs: number): Promise<void> => {
    using ingestion = connect(IngestionServiceDefinition, stack.addresses.ingestion);
    await waitUntilDrained(ingestion, timeoutMs);
  };
  const withoutProcessors = async (work: () => Promise<void>): Promise<void> => {
    const processors = stack.processes.map(({ name }) => name).filter((name) => name.startsWith('processor'));
    await Promise.all(processors.map((name) => stack.kill(name)));
    await work();
    await Promise.all(processors.map((name) => stack.restart(name)));
  };
  const metricsUrlOf = (name: string): string => `http://127.0.0.1:${portOf.get(name)}/metrics`;
  const open = opening.move();
  return {
    stack,
    servers,
    database,
    metricsUrl: metricsUrlOf('gateway'),
    settled: (timeoutMs = drainTimeoutMs) =>
      waitUntilComputed({ addresses: stack.addresses, drained: () => drained(timeoutMs) }),
    messages: () =>
      withStream(natsUrl, async (manager, stream) => {
        const endMs = Date.now() + messagesTimeoutMs;
        for (;;) {
          const { state } = await manager.streams.info(stream);
          if (state.messages === 0 || Date.now() > endMs) return state.messages;
          await delay(pollMs);
        }
      }),
    async metric(process, name, labels = /^/) {
      // a test that computes for seconds would not notice that a kept connection was closed
      const answer = await fetch(metricsUrlOf(process), { headers: { connection: 'close' } });
      const lines = (await answer.text()).split('\n').filter((line) => /^[a-z0-9_]+/.exec(line)?.[0] === name);
      if (lines.length === 0) throw new Error(`${process} tells nothing of ${name}`);
      const wanted = lines.filter((line) => labels.test(line));
      return wanted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    },
    loseMessages: () =>
      withoutProcessors(() =>
        withStream(natsUrl, async (manager, stream) => {
          while ((await manager.streams.info(stream)).state.messages < 3) await delay(pollMs);
          await manager.streams.purge(stream);
        }),
      ),
    withFullStream: (work) =>
      withoutProcessors(async () => {
        const resize = (bytes: number): Promise<unknown> =>
          withStream(natsUrl, (manager, stream) => manager.streams.update(stream, { max_bytes: bytes }));
        await resize(fullBytes);
        await work();
        await resize(1024 ** 3);
      }),
    async [Symbol.asyncDispose]() {
      // what was not well leaves its logs
      await open.disposeAsync();
      await rm(logDirectory, { recursive: true });
    },
  };
}
