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
import { connectNats, ensureRunsStream, followNats, type Lane, runsStream } from '@weir/kit/nats';
import { type QueuedBatch, RunsMessage } from '@weir/proto/ingestion';

/** An answer of the server may take so long, in milliseconds. */
const answerTimeoutMs = 5000;

/** The server's default, until it says its own. */
const payloadBytesMax = 1_048_576;

/** A message that the stream holds. */
export interface StoredMessage {
  readonly sequence: number;
  readonly storedMs: number;
  /** The batches that it brings, each as it was published. */
  readonly batches: readonly Pick<QueuedBatch, 'id' | 'publicId' | 'epoch'>[];
}

/** The stream of runs, there or not. */
export interface RunsStream extends Started {
  /** False while there is no server. */
  readonly isConnected: boolean;
  /** Largest message that the server takes. */
  readonly messageBytesMax: number;
  /** Stores a message; the stream is made again when it is gone. */
  publish(subject: string, message: Uint8Array, id: string): Promise<void>;
  /** The oldest message of a lane and shard; undefined when there is none. */
  oldest(lane: Lane, shard: number): Promise<StoredMessage | undefined>;
  /** Removes a message, if it is there. */
  remove(sequence: number): Promise<void>;
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
  const ended = new AbortController();
  let ensuring: Promise<void> | undefined;

  const ensure = (manager: JetStreamManager): Promise<void> => {
    ensuring ??= ensureRunsStream(manager, prefix, { replicas, bytesMax }).finally(() => {
      ensuring = undefined;
    });
    return ensuring;
  };
  const makeSure = async (manager: JetStreamManager): Promise<void> => {
    try {
      await ensure(manager);
      onReady();
    } catch (error) {
      if (!ended.signal.aborted)
        log.warn({ err: error, stream: names.stream }, 'the stream cannot be made; it is tried again');
    }
  };

  const opening = (async () => {
    const connection = await connectNats(url, 'ingestion', { log, signal: ended.signal });
    if (ended.signal.aborted) return await connection.close();
    const client = jetstream(connection, { timeout: answerTimeoutMs });
    const manager = await jetstreamManager(connection, { checkAPI: false, timeout: answerTimeoutMs });
    connected = { connection, client, manager };
    isUp = true;
    const followed = followNats(connection, log, (isConnected) => {
      isUp = isConnected;
      if (isConnected) void makeSure(manager);
    });
    await makeSure(manager);
    await followed;
  })();
  opening.catch((error: unknown) => {
    if (!ended.signal.aborted) log.error({ err: error }, 'cannot use NATS');
  });

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
    oldest: (lane, shard) =>
      withStream(async ({ manager }) => {
        const next = { seq: 0, next_by_subj: names.shard(lane, shard).subject };
        const message = await manager.streams.getMessage(names.stream, next);
        if (message === null) return undefined;
        const { batches } = RunsMessage.decode(message.data);
        return { sequence: message.seq, storedMs: message.time.getTime(), batches };
      }),
    remove: (sequence) =>
      withStream(async ({ manager }) => {
        try {
          await manager.streams.deleteMessage(names.stream, sequence, false);
        } catch (error) {
          // another process may have removed it meanwhile
          if ((await manager.streams.getMessage(names.stream, { seq: sequence })) !== null) throw error;
        }
      }),
    usage: () =>
      withStream(async ({ manager }) => {
        const { state, config } = await manager.streams.info(names.stream);
        return { messages: state.messages, bytes: state.bytes, bytesMax: config.max_bytes };
      }),
    async [Symbol.asyncDispose]() {
      ended.abort();
      isUp = false;
      // a connection that was never made is closed when it is
      await connected?.connection.close();
    },
  };
}
