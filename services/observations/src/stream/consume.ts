import { setTimeout as delay } from 'node:timers/promises';
import type { JetStreamClient, JetStreamManager, JsMsg } from '@nats-io/jetstream';
import { InProgress } from '@weir/kit/garbage';
import type { Started } from '@weir/kit/lifecycle';
import { type Delivery, isMergeable, lacksPoints } from './delivery.js';
import { leaveQueued } from './leave-queued.js';
import { checkDependencies, isUnavailable, processAlone } from './process-alone.js';
import { type Processing, processRuns, type ReadBatch } from './process-runs.js';
import { inProcessSpan } from './process-span.js';
import { startPulling } from './pull.js';
import { Turns } from './turns.js';

/** A message waits so long for its next retry at most. */
const retryDelayMaxMs = 60_000;
/** How often a dependency that does not answer is asked again. */
const checkDelayMs = { first: 100, max: 5000 } as const;

/** What a consumer is started with. */
export interface ConsumeOptions {
  readonly client: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly prefix: string;
  readonly stream: { readonly replicas: number; readonly bytesMax: number };
  readonly processing: Processing;
  readonly workers: number;
  readonly mergePointsMax: number;
  readonly ackWaitMs: number;
  readonly retryDelayMs: number;
}

/** Waits until everything that processing needs answers again, or until aborted. */
async function untilAvailable(processing: Processing, delivery: Delivery, signal: AbortSignal): Promise<void> {
  const batch = delivery.batches[0];
  for (let pauseMs: number = checkDelayMs.first; batch !== undefined && !signal.aborted; pauseMs *= 2) {
    await delay(Math.min(pauseMs, checkDelayMs.max), undefined, { signal }).catch(() => undefined);
    try {
      return await checkDependencies(processing, batch.queued);
    } catch (error) {
      // whatever else fails, it has answered
      if (!isUnavailable(error)) return;
    }
  }
}

/**
 * Consumes the stream of runs: pulls messages, merges them in turns, processes and then acknowledges
 * them. A failure is never acknowledged: its messages come again, later each time. Disposing ends
 * pulling, waits for the merges in progress and gives back what was not begun.
 */
export function startConsuming(options: ConsumeOptions): Started {
  const { processing, retryDelayMs } = options;
  const { events } = processing;
  const abort = new AbortController();
  const turns = new Turns(options.mergePointsMax);
  /** Messages that this process has in hand. */
  const held = new InProgress<Delivery>();
  const release = (deliveries: readonly Delivery[], answer: (message: JsMsg) => void): void => {
    for (const delivery of deliveries) {
      held.leave(delivery);
      answer(delivery.message);
    }
  };
  // keeps what waits here from being given to another processor, however long it takes
  const keeping = setInterval(() => {
    for (const { message } of held) message.working();
  }, options.ackWaitMs / 3);

  let dangerous = Promise.resolve();
  /**
   * One at a time of the most suspected: should it end the process, no attempt at another is lost with it. And of those whose
   * points a message could not carry: they may take half of the memory that there is.
   */
  const processInTurn = async (delivery: Delivery): Promise<void> => {
    const turn = dangerous.then(() => processAlone(processing, delivery));
    dangerous = turn.catch(() => undefined);
    await turn;
  };
  /** Processes what a worker took together, or the one message that must be alone. */
  const processDeliveries = async (deliveries: readonly Delivery[]): Promise<void> => {
    const [first] = deliveries;
    if (first !== undefined && (first.suspicion === 2 || lacksPoints(first))) return await processInTurn(first);
    if (first !== undefined && !isMergeable(first)) return await processAlone(processing, first);
    const batches = deliveries.flatMap((delivery) => delivery.batches) as ReadBatch[];
    const queued = await leaveQueued(processing.ingestion, batches);
    if (queued.length > 0) await processRuns(processing, queued, false);
  };
  const retry = async (deliveries: readonly Delivery[], error: unknown): Promise<void> => {
    const deliveryCount = Math.max(...deliveries.map(({ message }) => message.info.deliveryCount));
    const delayMs = Math.min(retryDelayMs * 2 ** (deliveryCount - 1), retryDelayMaxMs);
    release(deliveries, (message) => message.nak(delayMs));
    events.retried({ messages: deliveries.length, delayMs, error });
    if (!isUnavailable(error) || deliveries[0] === undefined) return;
    events.dependencyAway(error);
    await untilAvailable(processing, deliveries[0], abort.signal);
    if (!abort.signal.aborted) events.dependencyBack();
  };
  const work = async (): Promise<void> => {
    for (let taken = await turns.take(); taken !== undefined; taken = await turns.take()) {
      const deliveries = taken;
      const beganMs = performance.now();
      try {
        await inProcessSpan(deliveries, () => processDeliveries(deliveries));
        turns.noteMerge(performance.now() - beganMs);
        release(deliveries, (message) => message.ack());
      } catch (error) {
        await retry(deliveries, error);
      }
    }
  };

  const pulling = startPulling({ ...options, turns, events, onDelivery: (delivery) => held.enter(delivery) });
  const workers = Array.from({ length: options.workers }, work);
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      turns.close();
      await pulling[Symbol.asyncDispose]();
      await Promise.all(workers);
      release(turns.rest, (message) => message.nak());
      clearInterval(keeping);
    },
  };
}
