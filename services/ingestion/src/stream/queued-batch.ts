import { idTimeUs } from '@weir/kit/ids';
import type { QueuedBatch } from '@weir/proto/ingestion';

/**
 * A batch as the stream carries it, by what is stored of it.
 *
 * @param queuedEpoch - the least epoch under which any of the runs was queued
 * @param tried - of runs of which not all values are to be stored, those that are
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
  tried: QueuedBatch['tried'] = [],
): QueuedBatch {
  return { ...batch, epoch, indexes, queuedEpoch, tried, admittedAtUs: idTimeUs(batch.publicId) };
}
