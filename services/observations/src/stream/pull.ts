import { setTimeout as delay } from 'node:timers/promises';
import {
  AckPolicy,
  type Consumer,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import type { Started } from '@weir/kit/lifecycle';
import { ensureRunsStream, type Lane, lanes, runsStream, shardCount } from '@weir/kit/nats';
import type { ProcessorEvents } from '../events.js';
import { type Delivery, readDelivery } from './delivery.js';
import type { Turns } from './turns.js';

/** Messages that all processors together may have in hand, of one shard. */
const ackPendingMax = 4096;
/** How long a pull waits for messages; and so how soon one finds out that its consumer is gone. */
const pullMs = 5000;
/** Pause after a pull that failed. */
const failurePauseMs = 250;

/** What pulling is started with. */
export interface PullOptions {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly prefix: string;
  readonly stream: { readonly replicas: number; readonly bytesMax: number };
  readonly ackWaitMs: number;
  readonly turns: Turns;
  readonly events: ProcessorEvents;
  /** Called with every message that is to be processed, before it waits for its turn. */
  readonly onDelivery: (delivery: Delivery) => void;
}

/** Makes stream and consumer, or adapts them; after NATS has lost everything they are made again. */
async function openConsumer(options: PullOptions, names: { subject: string; consumer: string }): Promise<Consumer> {
  const { manager } = options;
  const { stream } = runsStream(options.prefix);
  await ensureRunsStream(manager, options.prefix, options.stream);
  const adaptable = {
    ack_wait: options.ackWaitMs * 1e6,
    // attempts are counted in PostgreSQL, where they are seen
    max_deliver: -1,
    max_ack_pending: ackPendingMax,
  };
  const existing = await manager.consumers.info(stream, names.consumer).catch(() => undefined);
  if (existing === undefined) {
    await manager.consumers.add(stream, {
      durable_name: names.consumer,
      filter_subject: names.subject,
      deliver_policy: DeliverPolicy.All,
      ack_policy: AckPolicy.Explicit,
      ...adaptable,
    });
  } else if (existing.config.ack_wait !== adaptable.ack_wait) {
    await manager.consumers.update(stream, names.consumer, adaptable);
  }
  return await options.client.consumers.get(stream, names.consumer);
}

async function pullShard(options: PullOptions, lane: Lane, shard: number, signal: AbortSignal): Promise<void> {
  const { turns, events } = options;
  const names = runsStream(options.prefix).shard(lane, shard);
  let consumer: Consumer | undefined;
  while (!signal.aborted) {
    const room = await turns.room(lane, shard);
    if (room === 0) return;
    let messages: ConsumerMessages | undefined;
    const stop = (): void => messages?.stop();
    signal.addEventListener('abort', stop);
    try {
      consumer ??= await openConsumer(options, names);
      messages = await consumer.fetch({ max_messages: room, expires: pullMs });
      if (signal.aborted) messages.stop();
      for await (const message of messages) {
        let delivery: Delivery;
        try {
          delivery = readDelivery(message);
        } catch (error) {
          // without a reason: NATS 2.9 ignores a term that carries one
          message.term();
          events.messageUnreadable(error);
          continue;
        }
        options.onDelivery(delivery);
        turns.put(lane, shard, delivery);
      }
    } catch (error) {
      if (signal.aborted) return;
      consumer = undefined;
      events.pullFailed({ consumer: names.consumer, error });
      await delay(failurePauseMs, undefined, { signal }).catch(() => undefined);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/** Pulls messages of all shards into `turns`, as many as have room there, until disposed. */
export function startPulling(options: PullOptions): Started {
  const abort = new AbortController();
  const pulls = lanes.flatMap((lane) =>
    Array.from({ length: shardCount }, (_, shard) => pullShard(options, lane, shard, abort.signal)),
  );
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await Promise.all(pulls);
    },
  };
}
