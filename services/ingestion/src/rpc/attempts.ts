import type { Pool } from '@weir/kit/sql';
import type {
  BeginAttemptsRequest,
  BeginAttemptsResponse,
  TakeBackAttemptsRequest,
  TakeBackAttemptsResponse,
} from '@weir/proto/ingestion';
import { batchOf, toBatchNames, toNameColumns } from '../domain/batch-name.js';
import type { Events } from '../events.js';
import { countAttempts } from '../store/queue.js';
import { noteUnknown } from './note-unknown.js';

/** Counts that batches are begun again, before they are worked on: so that one which kills its processor is told by its count. */
export async function beginAttempts(
  pool: Pool,
  events: Events,
  { batchIds, publicIds }: BeginAttemptsRequest,
): Promise<BeginAttemptsResponse> {
  const names = toBatchNames(batchIds, publicIds);
  const places = await countAttempts.all(pool, { ...toNameColumns(names), by: 1 });
  const begun = new Map(places.map((place) => [place.batchId, place]));
  const attempts = names.map((name) => batchOf(name, begun)?.attempts ?? 0);
  await noteUnknown(
    pool,
    events,
    names.filter((_, at) => attempts[at] === 0),
  );
  return { attempts };
}

/** Counts attempts no longer that something else made vain. */
export async function takeBackAttempts(
  pool: Pool,
  { batchIds, publicIds }: TakeBackAttemptsRequest,
): Promise<TakeBackAttemptsResponse> {
  await countAttempts.run(pool, { ...toNameColumns(toBatchNames(batchIds, publicIds)), by: -1 });
  return {};
}
