import type { Pool } from '@weir/kit/sql';
import { type BatchName, batchOf } from '../domain/batch-name.js';
import type { Events } from '../events.js';
import { selectKnown } from '../store/batches.js';

/** Counts those of some batches, none of which is queued, that the database does not have at all. */
export async function noteUnknown(pool: Pool, events: Events, names: readonly BatchName[]): Promise<void> {
  if (names.length === 0) return;
  const rows = await selectKnown.all(pool, { ids: names.map(({ batchId }) => batchId) });
  const known = new Map(rows.map((batch) => [batch.batchId, batch]));
  const unknown = names.filter((name) => batchOf(name, known) === undefined);
  events.unknown(unknown.map(({ batchId }) => batchId));
}
