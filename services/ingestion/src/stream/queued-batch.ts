import { idTimeUs } from '@weir/kit/ids';
import type { QueuedBatch } from '@weir/proto/ingestion';

/** A batch as the stream carries it, by what is stored of it. */
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
): QueuedBatch {
  return { ...batch, epoch, indexes, admittedAtUs: idTimeUs(batch.publicId) };
}
