import type { JsMsg } from '@nats-io/jetstream';
import type { Placed } from '@weir/kit/garbage';
import { type Points, unpackPoints } from '@weir/points';
import { type QueuedBatch, RunsMessage } from '@weir/proto/ingestion';

/**
 * So many values, or bytes of its message, cost as much memory as a point with all that goes with it is given. A merge of
 * 8,000 points has no more than 256,000 values then, which is what the largest batch may have.
 */
const perPoint = { values: 32, bytes: 1024 } as const;

/** A batch as a message brought it. */
export interface DeliveredBatch {
  readonly queued: QueuedBatch;
  /** Undefined when the message came without a readable body; the ingestion service has it. */
  readonly points: Points | undefined;
}

/** A message that waits to be processed. */
export interface Delivery extends Placed {
  readonly message: JsMsg;
  readonly batches: readonly DeliveredBatch[];
  /** What it counts in a merge: its points, or more where they have many values or long names. */
  readonly weight: number;
  /**
   * How much it is suspected of what made its processing fail: 0 not, it came for the first time
   * and may be merged; 1 its batches are processed without others; 2 each by itself.
   */
  readonly suspicion: 0 | 1 | 2;
}

function readBody(body: Uint8Array): Points | undefined {
  try {
    return unpackPoints(body);
  } catch {
    return undefined;
  }
}

function weightOf(batches: readonly DeliveredBatch[], bytes: number): number {
  let count = 0;
  let values = 0;
  for (const { points } of batches) {
    count += points?.count ?? 0;
    values += points?.values.length ?? 0;
  }
  return Math.max(count, Math.ceil(values / perPoint.values), Math.ceil(bytes / perPoint.bytes));
}

/**
 * Reads a message.
 *
 * @throws Error when its bytes are not a RunsMessage
 */
export function readDelivery(message: JsMsg): Delivery {
  const batches = RunsMessage.decode(message.data).batches.map((queued) => ({ queued, points: readBody(queued.body) }));
  const again = message.info.deliveryCount - 1 + (batches.some(({ queued }) => queued.epoch > 0) ? 1 : 0);
  return {
    place: -1,
    message,
    batches,
    weight: weightOf(batches, message.data.length),
    suspicion: again === 0 ? 0 : again === 1 ? 1 : 2,
  };
}

/** Whether points have to be fetched, of which nobody knows yet how many they are. */
export function lacksPoints({ batches }: Delivery): boolean {
  return batches.some(({ points }) => points === undefined);
}

/** Whether a message may be merged with others. */
export function isMergeable(delivery: Delivery): boolean {
  return delivery.suspicion === 0 && !lacksPoints(delivery);
}
