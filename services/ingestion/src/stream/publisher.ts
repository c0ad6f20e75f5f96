import type { Started } from '@weir/kit/lifecycle';
import { inRequest, joinRequestIds } from '@weir/kit/log';
import { type Lane, runsStream } from '@weir/kit/nats';
import { activeTraceparent, contextFromTraceparent, inSpan, isKeptBelow, SpanKind } from '@weir/kit/telemetry';
import { type QueuedBatch, RunsMessage } from '@weir/proto/ingestion';
import { splitMessages } from '../domain/split-messages.js';
import type { Events } from '../events.js';
import type { RunsStream } from './runs-stream.js';

/** A message holds so much, unless a single batch is larger. */
const messageBytesMax = 512_000;
/** What a batch takes beside its body, and a message beside its batches. */
const batchOverheadBytes = 512;
const messageOverheadBytes = 4096;
/** Kept traces that a message gets a span for. */
const spansMax = 16;
/** What may be on its way to the stream; the sweeper publishes what is beyond. */
const inFlightMax = { messages: 256, bytes: 64 * 1024 * 1024 };

/** Publishes batches as few messages. */
export interface Publisher extends Started {
  /** Publishes soon, or leaves it to the sweeper: never waits, never fails. */
  publish(lane: Lane, batches: readonly QueuedBatch[]): void;
  /** Publishes and waits; answers whether the stream took all. */
  publishNow(lane: Lane, batches: readonly QueuedBatch[]): Promise<boolean>;
}

/** Runs `work` inside a PRODUCER span for each trace, and tells it the traceparent that stands for each. */
async function inPublishSpans<T>(
  traceparents: readonly string[],
  attributes: Record<string, string | number>,
  work: (published: ReadonlyMap<string, string>) => Promise<T>,
  published = new Map<string, string>(),
): Promise<T> {
  const [first, ...rest] = traceparents;
  if (first === undefined) return await work(published);
  const parent = contextFromTraceparent(first);
  return await inSpan('publish runs', { kind: SpanKind.PRODUCER, parent, attributes }, () => {
    published.set(first, activeTraceparent() || first);
    return inPublishSpans(rest, attributes, work, published);
  });
}

/** Starts publishing to the stream of runs. */
export function createPublisher(options: {
  readonly stream: RunsStream;
  readonly prefix: string;
  readonly events: Events;
}): Publisher {
  const { stream, prefix, events } = options;
  const names = runsStream(prefix);
  const inFlight = new Set<Promise<unknown>>();
  let inFlightBytes = 0;

  const encode = (batches: readonly QueuedBatch[]): Uint8Array => {
    const message = RunsMessage.encode({ batches: [...batches] }).finish();
    if (message.length + messageOverheadBytes <= stream.messageBytesMax) return message;
    // only a batch that goes alone is so large: the processor fetches its points
    const withoutBodies = batches.map((batch) => ({ ...batch, body: Buffer.alloc(0) }));
    return RunsMessage.encode({ batches: withoutBodies }).finish();
  };

  const send = async (lane: Lane, subject: string, batches: readonly QueuedBatch[]): Promise<boolean> => {
    const [first] = batches;
    if (first === undefined) return true;
    const traceparents = [...new Set(batches.map((batch) => batch.traceparent))].filter(
      (text) => text !== '' && isKeptBelow(text),
    );
    const requestId = joinRequestIds(batches.map((batch) => batch.requestId));
    const attributes = {
      'messaging.system': 'nats',
      'messaging.operation.name': 'publish',
      'messaging.operation.type': 'send',
      'messaging.destination.name': subject,
      'messaging.batch.message_count': batches.length,
      'weir.request_id': requestId,
    };
    try {
      await inPublishSpans(traceparents.slice(0, spansMax), attributes, async (published) => {
        const message = encode(
          batches.map((batch) => ({ ...batch, traceparent: published.get(batch.traceparent) ?? batch.traceparent })),
        );
        // A batch is never published twice under one epoch, so the server's deduplication swallows nothing wanted; its
        // number may have been another batch's a moment ago, before a restore.
        await stream.publish(subject, message, `${first.publicId}.${first.epoch}`);
      });
      events.published(lane, batches.length);
      return true;
    } catch (error) {
      inRequest(requestId, () => events.publishFailed(lane, batches.length, error));
      return false;
    }
  };

  const bytesOf = (batch: QueuedBatch): number => batch.body.length + batchOverheadBytes;

  /** The messages that batches make, each with its subject. */
  const messagesOf = (lane: Lane, batches: readonly QueuedBatch[]): [string, QueuedBatch[]][] => {
    const bySubject = Map.groupBy(batches, (batch) => names.subject(lane, batch.projectId));
    return [...bySubject].flatMap(([subject, own]) =>
      splitMessages(own, bytesOf, Math.min(messageBytesMax, stream.messageBytesMax - messageOverheadBytes)).map(
        (message): [string, QueuedBatch[]] => [subject, message],
      ),
    );
  };

  return {
    publish(lane, batches) {
      if (!stream.isConnected) {
        events.publishFailed(lane, batches.length, new Error('NATS is away'));
        return;
      }
      for (const [subject, message] of messagesOf(lane, batches)) {
        const bytes = message.reduce((sum, batch) => sum + bytesOf(batch), 0);
        if (inFlight.size >= inFlightMax.messages || inFlightBytes + bytes > inFlightMax.bytes) {
          events.publishFailed(lane, message.length, new Error('too much is on its way to the stream'));
          continue;
        }
        inFlightBytes += bytes;
        const sending = send(lane, subject, message).finally(() => {
          inFlight.delete(sending);
          inFlightBytes -= bytes;
        });
        inFlight.add(sending);
      }
    },
    async publishNow(lane, batches) {
      const sent = await Promise.all(
        messagesOf(lane, batches).map(([subject, message]) => send(lane, subject, message)),
      );
      return sent.every((taken) => taken);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(inFlight);
    },
  };
}
