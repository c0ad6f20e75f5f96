import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream';
import type { Started } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { connectNats, ensureRunsStream, type Lane, lanes, runsStream, shardCount } from '@weir/kit/nats';

/** An answer of the server may take so long, in milliseconds. */
const answerTimeoutMs = 5000;

/** The server's default, until it says its own. */
const payloadBytesMax = 1_048_576;

/** The stream of runs, there or not. */
export interface RunsStream extends Started {
  /** False while there is no server. */
  readonly isConnected: boolean;
  /** Largest message that the server takes. */
  readonly messageBytesMax: number;
  /** Stores a message; the stream is made again when it is gone. */
  publish(subject: string, message: Uint8Array, id: string): Promise<void>;
  /**
   * When the oldest message of a lane and shard was stored that is not acknowledged; undefined when there is none. Removes
   * those that are and stand there still.
   */
  oldestMs(lane: Lane, shard: number): Promise<number | undefined>;
  /** How full it is. */
  usage(): Promise<{ readonly messages: number; readonly bytes: number; readonly bytesMax: number }>;
}

/** What the stream of runs is opened with. */
export interface RunsStreamOptions {
  readonly url: string;
  readonly prefix: string;
  readonly replicas: number;
  readonly bytesMax: number;
  readonly log: Logger;
  /** Called whenever the server is there and the stream was made sure of. */
  readonly onReady: () => void;
}

type Connection = Awaited<ReturnType<typeof connectNats>>;

interface Connected {
  readonly connection: Connection;
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
}

function isStreamGone(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.code === JetStreamApiCodes.StreamNotFound;
  // nobody listens on the subject (the class of this error is not exported)
  return error instanceof Error && error.name === 'JetStreamNotEnabled';
}

/** Connects to the stream of runs in the background: NATS may come later, go away and lose everything. */
export function openRunsStream({ url, prefix, replicas, bytesMax, log, onReady }: RunsStreamOptions): RunsStream {
  const names = runsStream(prefix);
  let connected: Connected | undefined;
  let isUp = false;
  let isDisposed = false;
  let ensuring: Promise<void> | undefined;

  const ensure = (manager: JetStreamManager): Promise<void> => {
    ensuring ??= ensureRunsStream(manager, prefix, { replicas, bytesMax }).finally(() => {
      ensuring = undefined;
    });
    return ensuring;
  };
  /** Up to where the consumer of a lane and shard has acknowledged all that it will ever be given. */
  const acknowledgedUpTo = async (manager: JetStreamManager, consumer: string): Promise<number> => {
    try {
      return (await manager.consumers.info(names.stream, consumer)).ack_floor.stream_seq;
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.ConsumerNotFound) return 0;
      throw error;
    }
  };
  const oldestMs = async (manager: JetStreamManager, lane: Lane, shard: number): Promise<number | undefined> => {
    const { subject, consumer } = names.shard(lane, shard);
    const oldestFrom = (seq: number) => {
      const query = { seq, next_by_subj: subject };
      return manager.streams.getMessage(names.stream, query);
    };
    const oldest = await oldestFrom(0);
    if (oldest === null) return undefined;
    const acknowledged = await acknowledgedUpTo(manager, consumer);
    if (oldest.seq > acknowledged) return oldest.time.getTime();
    // a server that is killed may store that messages are acknowledged, and not that they are gone: they would stand
    // before all that it loses later, for ever
    await manager.streams.purge(names.stream, { filter: subject, seq: acknowledged + 1 });
    return (await oldestFrom(acknowledged + 1))?.time.getTime();
  };
  const makeSure = async (manager: JetStreamManager): Promise<void> => {
    try {
      await ensure(manager);
      const shards = Array.from({ length: shardCount }, (_, shard) => shard);
      await Promise.all(lanes.flatMap((lane) => shards.map((shard) => oldestMs(manager, lane, shard))));
      onReady();
    } catch (error) {
      if (!isDisposed) log.warn({ err: error, stream: names.stream }, 'the stream cannot be made; it is tried again');
    }
  };

  const watch = async ({ connection, manager }: Connected): Promise<void> => {
    for await (const status of connection.status()) {
      if (status.type === 'disconnect') {
        isUp = false;
        log.warn('NATS is away; runs wait in PostgreSQL');
      } else if (status.type === 'reconnect') {
        isUp = true;
        log.info('NATS is back');
        void makeSure(manager);
      }
    }
  };

  const opening = (async () => {
    const connection = await connectNats(url, 'ingestion');
    if (isDisposed) return await connection.close();
    const client = jetstream(connection, { timeout: answerTimeoutMs });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: answerTimeoutMs });
    connected = { connection, client, manager };
    isUp = true;
    void watch(connected);
    await makeSure(manager);
  })();
  opening.catch((error: unknown) => log.error({ err: error }, 'cannot use NATS'));

  const need = (): Connected => {
    if (connected === undefined || !isUp) throw new Error('NATS is away');
    return connected;
  };

  /** Runs `work`, and again after the stream was made when it is gone. */
  const withStream = async <T>(work: (connected: Connected) => Promise<T>): Promise<T> => {
    try {
      return await work(need());
    } catch (error) {
      if (!isStreamGone(error)) throw error;
      await ensure(need().manager);
      return await work(need());
    }
  };

  return {
    get isConnected() {
      return isUp;
    },
    get messageBytesMax() {
      return connected?.connection.info?.max_payload ?? payloadBytesMax;
    },
    publish: (subject, message, id) =>
      withStream(async ({ client }) => {
        await client.publish(subject, message, { msgID: id, timeout: answerTimeoutMs });
      }),
    oldestMs: (lane, shard) => withStream(({ manager }) => oldestMs(manager, lane, shard)),
    usage: () =>
      withStream(async ({ manager }) => {
        const { state, config } = await manager.streams.info(names.stream);
        return { messages: state.messages, bytes: state.bytes, bytesMax: config.max_bytes };
      }),
    async [Symbol.asyncDispose]() {
      isDisposed = true;
      isUp = false;
      // a connection that was never made is closed when it is
      await connected?.connection.close();
    },
  };
}
