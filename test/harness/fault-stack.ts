import { setTimeout as delay } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connectNats, runsStream } from '@weir/kit/nats';
import { connect } from '@weir/kit/rpc';
import { openPool, type Pool } from '@weir/kit/sql';
import { waitUntilDrained } from '@weir/kit/testing';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { type Stack, type StackOptions, startStack } from '@weir/stack';
import { waitUntilComputed } from './computed.js';
import { type PrivateServers, startPrivateServers } from './private-servers.js';

const prefix = 'faults';
/** Longer than any fault holds a message back. */
const drainTimeoutMs = 100_000;
const pollMs = 50;

/** Faults end sooner than in production: what a dead process had in hand and what the stream lost come back within seconds. */
const hurried = {
  ingestion: { SWEEP_INTERVAL_MS: '500', SWEEP_AFTER_MS: '2000' },
  processor: { ACK_WAIT_MS: '3000', RETRY_DELAY_MS: '200' },
} as const;

/** All of Weir on servers of its own, any part of which may be broken. */
export interface FaultStack extends AsyncDisposable {
  readonly stack: Stack;
  readonly servers: PrivateServers;
  /** The database, not through any proxy. */
  readonly database: Pool;
  /** Waits until nothing is queued and nothing is marked to be computed. */
  settled(): Promise<void>;
  /** Messages in the stream; waits a moment for those that are acknowledged just now. */
  messages(): Promise<number>;
}

/** How a stack with faults is started. */
export interface FaultOptions
  extends Pick<StackOptions, 'processors' | 'replicas' | 'checkout' | 'env' | 'envOf' | 'onUnexpectedExit'> {
  /** What the stack is told of the servers, where it is not the truth: proxies. */
  readonly urlsOf?: (servers: PrivateServers) => Partial<StackOptions['servers']>;
  readonly drainTimeoutMs?: number;
}

/** Starts servers and stack. */
export async function openFaultStack(options: FaultOptions = {}): Promise<FaultStack> {
  await using opening = new AsyncDisposableStack();
  const servers = opening.use(await startPrivateServers());
  const { databaseUrl, redisUrl, natsUrl } = servers;
  const { urlsOf, envOf = {}, drainTimeoutMs: timeoutMs = drainTimeoutMs, ...given } = options;
  const stack = opening.use(
    await startStack({
      ...given,
      servers: { databaseUrl, redisUrl, natsUrl, ...urlsOf?.(servers) },
      prefix,
      envOf: {
        ...envOf,
        gateway: { UNDECLARED_ANSWERS: 'fail', ...envOf['gateway'] },
        ingestion: { ...hurried.ingestion, ...envOf['ingestion'] },
        processor: { ...hurried.processor, ...envOf['processor'] },
      },
    }),
  );
  const database = opening.use(openPool({ url: databaseUrl, max: 2 }));
  const drained = async (): Promise<void> => {
    using ingestion = connect(IngestionServiceDefinition, stack.addresses.ingestion);
    await waitUntilDrained(ingestion, timeoutMs);
  };
  const open = opening.move();
  return {
    stack,
    servers,
    database,
    settled: () => waitUntilComputed({ addresses: stack.addresses, drained }),
    async messages() {
      const nats = await connectNats(natsUrl, 'test');
      try {
        const manager = await jetstreamManager(nats);
        const endMs = Date.now() + 15_000;
        for (;;) {
          const { state } = await manager.streams.info(runsStream(prefix).stream);
          if (state.messages === 0 || Date.now() > endMs) return state.messages;
          await delay(pollMs);
        }
      } finally {
        await nats.close();
      }
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}
