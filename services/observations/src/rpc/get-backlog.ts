import type { Db } from '@weir/kit/sql';
import type { GetBacklogResponse } from '@weir/proto/observations';
import { selectBacklog } from '../store/backlog.js';
import { asQueryLimit } from './query-limit.js';

/** Answers how much waits to be computed. */
export async function getBacklog(db: Db): Promise<GetBacklogResponse> {
  return await asQueryLimit(selectBacklog.one(db, {}));
}
