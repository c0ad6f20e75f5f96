import { newId, parseRunId } from '@weir/kit/ids';

/** A new batch id: a UUIDv7 whose last ten bits are zero. */
export function newBatchId(): string {
  return parseRunId(newId()).batchId;
}
