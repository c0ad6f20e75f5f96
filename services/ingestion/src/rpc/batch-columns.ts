import { shardOf } from '@weir/kit/nats';
import type { CheckedSubmission } from '../domain/submission.js';
import type { BatchColumns } from '../store/admissions.js';

type NewBatch = Omit<CheckedSubmission, 'idempotencyKey'> & { readonly publicId: string };

/** Batches to admit, as columns. */
export function toBatchColumns(batches: readonly NewBatch[]): BatchColumns {
  const bodyStarts: number[] = [];
  let bodyStart = 1;
  for (const { body } of batches) {
    bodyStarts.push(bodyStart);
    bodyStart += body.length;
  }
  return {
    publicIds: batches.map(({ publicId }) => publicId),
    provisionings: batches.map(({ provisioning }) => provisioning),
    runCounts: batches.map(({ count }) => count),
    shards: batches.map(({ projectId }) => shardOf(projectId)),
    traceparents: batches.map(({ traceparent }) => traceparent),
    requestIds: batches.map(({ requestId }) => requestId),
    bodies: Buffer.concat(batches.map(({ body }) => body)),
    bodyStarts,
    bodyLengths: batches.map(({ body }) => body.length),
  };
}
