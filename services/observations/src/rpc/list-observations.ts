import { WeirError } from '@weir/kit/errors';
import type { Db } from '@weir/kit/sql';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import type {
  DeepPartial,
  ListObservationsRequest,
  ListObservationsResponse,
  SeriesPage,
} from '@weir/proto/observations';
import { formatInstants } from '../domain/format-instants.js';
import { instantsFromBytes } from '../store/binary.js';
import { type PageArgs, type StoredSeriesPage, selectPageAscending, selectPageDescending } from '../store/pages.js';
import { asQueryLimit } from './query-limit.js';

const limitMax = 100_000;

function toPageArgs(request: ListObservationsRequest): PageArgs {
  const { projectId, variableKeys, startUs, endUs, after, descending, limit } = request;
  if (limit < 1 || limit > limitMax) throw new WeirError('invalid_request', `Ask for 1 to ${limitMax} observations.`);
  const range = {
    startUs: Math.max(startUs ?? observationInstantMinUs, observationInstantMinUs),
    endUs: Math.min(endUs ?? observationInstantEndUs, observationInstantEndUs),
  };
  return {
    projectId,
    variableKeys: variableKeys.slice(after?.seriesIndex ?? 0),
    ...range,
    firstStartUs: after === undefined || descending ? range.startUs : Math.max(range.startUs, after.atUs + 1),
    firstEndUs: after === undefined || !descending ? range.endUs : Math.min(range.endUs, after.atUs),
    limit,
  };
}

interface Column {
  readonly seriesIndex: number;
  readonly instantsUs: Float64Array;
  readonly valuesJson: string;
}

/** The columns of a page, without the observation that only says that there is a further page. */
function toColumns(stored: readonly StoredSeriesPage[], limit: number, firstIndex: number): Column[] {
  let room = limit;
  return stored.flatMap(({ seriesNumber, count, instants, values }) => {
    const isCut = count > room;
    room -= count;
    if (isCut && count === 1) return [];
    const instantsUs = instantsFromBytes(isCut ? instants.subarray(0, -8) : instants);
    const valuesJson = `[${isCut ? values.slice(0, values.lastIndexOf(',')) : values}]`;
    return [{ seriesIndex: firstIndex + seriesNumber, instantsUs, valuesJson }];
  });
}

/** One page of raw observations of several series, in the order asked. */
export async function listObservations(
  db: Db,
  request: ListObservationsRequest,
): Promise<DeepPartial<ListObservationsResponse>> {
  const args = toPageArgs(request);
  const statement = request.descending ? selectPageDescending : selectPageAscending;
  const stored = await asQueryLimit(statement.all(db, args));
  const columns = toColumns(stored, request.limit, request.after?.seriesIndex ?? 0);
  const isCut = stored.reduce((sum, { count }) => sum + count, 0) > request.limit;
  const last = columns.at(-1);
  const lastUs = last?.instantsUs.at(-1);
  return {
    series: columns.map(
      ({ seriesIndex, instantsUs, valuesJson }): SeriesPage => ({
        variableKey: request.variableKeys[seriesIndex] as number,
        count: instantsUs.length,
        timestampsJson: formatInstants(instantsUs),
        valuesJson,
        changedRanges: [],
      }),
    ),
    nextAfter:
      isCut && last !== undefined && lastUs !== undefined ? { seriesIndex: last.seriesIndex, atUs: lastUs } : undefined,
  };
}
