import type { JsMsg } from '@nats-io/jetstream';
import { type Points, unpackPoints } from '@weir/points';
import { type QueuedBatch, RunsMessage } from '@weir/proto/ingestion';

/** A batch as a message brought it. */
export interface DeliveredBatch {
  readonly queued: QueuedBatch;
  /** Undefined when the message came without a readable body; the ingestion service has it. */
  readonly points: Points | undefined;
}

/** A message that waits to be processed. */
export interface Delivery {
  readonly message: JsMsg;
  readonly batches: readonly DeliveredBatch[];
  readonly points: number;
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

/**
 * Reads a message.
 *
 * @throws Error when its bytes are not a RunsMessage
 */
export function readDelivery(message: JsMsg): Delivery {
  const batches = RunsMessage.decode(message.data).batches.map((queued) => ({ queued, points: readBody(queued.body) }));
  const again = message.info.deliveryCount - 1 + (batches.some(({ queued }) => queued.epoch > 0) ? 1 : 0);
  return {
    message,
    batches,
    points: batches.reduce((sum, { points }) => sum + (points?.count ?? 0), 0),
    suspicion: again === 0 ? 0 : again === 1 ? 1 : 2,
  };
}

/** Whether a message may be merged with others. */
export function isMergeable({ suspicion, batches }: Delivery): boolean {
  return suspicion === 0 && batches.every(({ points }) => points !== undefined);
}
