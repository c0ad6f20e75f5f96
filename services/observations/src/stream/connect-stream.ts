import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { Started } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { connectNats, followNats } from '@weir/kit/nats';

/** The clients of a NATS connection. */
export interface StreamClients {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

/** A connection to NATS that is made in the background: NATS may come later, and go away again. */
export interface StreamConnection extends Started {
  readonly isConnected: boolean;
  /** Resolves when it is there for the first time. */
  readonly connected: Promise<void>;
}

/**
 * Connects to NATS and starts what uses it, once the server is there. Disposing stops that first and
 * sends what it still had to say.
 */
export function connectStream(options: {
  readonly url: string;
  readonly log: Logger;
  readonly start: (clients: StreamClients) => Started;
}): StreamConnection {
  const { log } = options;
  let isConnected = false;
  const ended = new AbortController();
  let started: Started | undefined;
  let close: (() => Promise<void>) | undefined;
  const first = Promise.withResolvers<void>();

  const opening = (async () => {
    const connection = await connectNats(options.url, 'processor', { log, signal: ended.signal });
    if (ended.signal.aborted) return await connection.close();
    // what was acknowledged is sent before the end, where there is a server to send it to
    close = () => (isConnected ? connection.drain() : connection.close());
    isConnected = true;
    first.resolve();
    const manager = await jetstreamManager(connection, { checkAPI: false });
    started = options.start({ client: jetstream(connection), manager });
    await followNats(connection, log, (isNow) => {
      isConnected = isNow;
    });
  })();
  opening.catch((error: unknown) => {
    if (!ended.signal.aborted) log.error({ err: error }, 'cannot use NATS');
  });

  return {
    connected: first.promise,
    get isConnected() {
      return isConnected;
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      await started?.[Symbol.asyncDispose]();
      // a connection that was never made is closed when it is
      await close?.();
    },
  };
}
