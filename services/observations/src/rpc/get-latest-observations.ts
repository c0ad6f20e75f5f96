import type { Db } from '@weir/kit/sql';
import { observationInstantMinUs } from '@weir/kit/time';
import type { GetLatestObservationsRequest, GetLatestObservationsResponse } from '@weir/proto/observations';
import { selectLatest } from '../store/pages.js';
import { asQueryLimit } from './query-limit.js';

/** The observation with the greatest instant of each series, at or before an instant. */
export async function getLatestObservations(
  db: Db,
  { projectId, variableKeys, asOfUs }: GetLatestObservationsRequest,
): Promise<GetLatestObservationsResponse> {
  // nothing lies before the first instant; further back the text of an instant has no form
  if (asOfUs !== undefined && asOfUs < observationInstantMinUs) return { observations: [] };
  return { observations: await asQueryLimit(selectLatest.all(db, { projectId, variableKeys, asOfUs })) };
}
