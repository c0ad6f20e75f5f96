import type { Pool } from '@weir/kit/sql';
import type { BeginAttemptsRequest, BeginAttemptsResponse } from '@weir/proto/ingestion';
import type { Events } from '../events.js';
import { selectKnown } from '../store/batches.js';
import { beginQueued } from '../store/queue.js';

/** Counts that batches are begun again, before they are worked on: so that one which kills its processor is told by its count. */
export async function beginAttempts(
  pool: Pool,
  events: Events,
  { batchIds }: BeginAttemptsRequest,
): Promise<BeginAttemptsResponse> {
  const rows = await beginQueued.all(pool, { batchIds });
  const attempts = new Map(rows.map((row) => [row.batchId, row.attempts]));
  const others = batchIds.filter((id) => !attempts.has(id));
  if (others.length > 0) {
    const known = new Set((await selectKnown.all(pool, { ids: others })).map(({ id }) => id));
    events.unknown(others.filter((id) => !known.has(id)));
  }
  return { attempts: batchIds.map((id) => attempts.get(id) ?? 0) };
}
