import type { Pool } from '@weir/kit/sql';
import type { BeginAttemptsRequest, BeginAttemptsResponse } from '@weir/proto/ingestion';
import { batchOf, toBatchNames, toNameColumns } from '../domain/batch-name.js';
import type { Events } from '../events.js';
import { beginQueued } from '../store/queue.js';
import { noteUnknown } from './note-unknown.js';

/** Counts that batches are begun again, before they are worked on: so that one which kills its processor is told by its count. */
export async function beginAttempts(
  pool: Pool,
  events: Events,
  { batchIds, publicIds }: BeginAttemptsRequest,
): Promise<BeginAttemptsResponse> {
  const names = toBatchNames(batchIds, publicIds);
  const begun = new Map((await beginQueued.all(pool, toNameColumns(names))).map((place) => [place.batchId, place]));
  const attempts = names.map((name) => batchOf(name, begun)?.attempts ?? 0);
  await noteUnknown(
    pool,
    events,
    names.filter((_, at) => attempts[at] === 0),
  );
  return { attempts };
}
