import type { Pool } from '@weir/kit/sql';
import type { BeginAttemptsRequest, BeginAttemptsResponse } from '@weir/proto/ingestion';
import { beginQueued } from '../store/queue.js';

/** Counts that batches are begun again, before they are worked on: so that one which kills its processor is told by its count. */
export async function beginAttempts(pool: Pool, { batchIds }: BeginAttemptsRequest): Promise<BeginAttemptsResponse> {
  const rows = await beginQueued.all(pool, { batchIds });
  const attempts = new Map(rows.map((row) => [row.batchId, row.attempts]));
  return { attempts: batchIds.map((id) => attempts.get(id) ?? 0) };
}
