import { WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { Db } from '@weir/kit/sql';
import type { GetLastInstantsRequest, GetLastInstantsResponse } from '@weir/proto/observations';
import { selectInstrumentInstants } from '../store/instrument-instants.js';
import { asQueryLimit } from './query-limit.js';

const instrumentsMax = 100;

/** The greatest instant that was ever stored of each instrument. */
export async function getLastInstants(
  db: Db,
  { projectId, instrumentIds }: GetLastInstantsRequest,
): Promise<GetLastInstantsResponse> {
  const ids = [...new Set(instrumentIds)].filter(isId);
  if (ids.length > instrumentsMax) {
    throw new WeirError('invalid_request', `Ask for at most ${instrumentsMax} instruments at a time.`);
  }
  return { instants: await asQueryLimit(selectInstrumentInstants.all(db, { projectId, instrumentIds: ids })) };
}
