import { isMethodUnknown, type RpcClient } from '@weir/kit/rpc';
import { nowUs } from '@weir/kit/time';
import type { IngestionServiceDefinition, QueuedBatch } from '@weir/proto/ingestion';

/**
 * A batch that was admitted longer ago is asked for before anything is made of it. Points are processed within a fraction of
 * it, so that they cost no call unless there is a backlog, and then one for all that is processed together. No database is
 * restored in less: a message from before a restore is older when processing goes on, and what it brings is never stored.
 * Clocks that stand apart shift it by as much.
 */
const unaskedUs = 5_000_000;

interface Batch {
  readonly queued: QueuedBatch;
}

/** What names batches in calls of the ingestion service. */
export function toNames(batches: readonly Batch[]): { batchIds: number[]; publicIds: string[] } {
  return {
    batchIds: batches.map(({ queued }) => queued.id),
    publicIds: batches.map(({ queued }) => queued.publicId),
  };
}

/** Leaves those of some batches that wait for their points to be stored. The ingestion service counts the others that it does not know. */
export async function leaveQueued<B extends Batch>(
  ingestion: RpcClient<IngestionServiceDefinition>,
  batches: readonly B[],
): Promise<readonly B[]> {
  const beforeUs = nowUs() - unaskedUs;
  const asked = batches.filter(({ queued }) => queued.admittedAtUs < beforeUs);
  if (asked.length === 0) return batches;
  try {
    const { areQueued } = await ingestion.findQueued(toNames(asked));
    const gone = new Set(asked.filter((_, at) => areQueued[at] !== true));
    return gone.size === 0 ? batches : batches.filter((batch) => !gone.has(batch));
  } catch (error) {
    // one of the release before, which is asked nothing
    if (isMethodUnknown(error)) return batches;
    throw error;
  }
}
