import { idTimeUs } from '@weir/kit/ids';
import type { QueuedBatch } from '@weir/proto/ingestion';

/**
 * A batch as the stream carries it, by what is stored of it.
 *
 * @param queuedEpoch - the least epoch under which any of the runs was queued
 */
export function toQueuedBatch(
  batch: {
    readonly id: number;
    readonly publicId: string;
    readonly projectId: string;
    readonly connectionId: string;
    readonly provisioning: string;
    readonly body: Buffer;
    readonly traceparent: string;
    readonly requestId: string;
  },
  epoch: number,
  indexes: number[],
  queuedEpoch: number,
): QueuedBatch {
  return { ...batch, epoch, indexes, queuedEpoch, admittedAtUs: idTimeUs(batch.publicId) };
}
