import { WeirError } from '@weir/kit/errors';
import type { Db } from '@weir/kit/sql';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import type { ListObservationsRequest, ListObservationsResponse, SeriesPage } from '@weir/proto/observations';
import { formatMark } from '../domain/change-mark.js';
import { formatInstants } from '../domain/format-instants.js';
import { coveredRanges, positionAfter, rangesAfter, type SeriesRange } from '../domain/page-ranges.js';
import { bigintArray, instantArray, instantsFromBytes } from '../store/binary.js';
import { type PageArgs, type StoredRangePage, selectPageAscending, selectPageDescending } from '../store/pages.js';
import { asQueryLimit } from './query-limit.js';
import { readChanges } from './read-changes.js';

const limitMax = 100_000;
/** Ranges that one statement walks; a page that covers so many ends there. */
const rangesMax = 10_000;

function toPageArgs({ projectId, variableKeys, limit }: ListObservationsRequest, ranges: readonly SeriesRange[]) {
  return {
    projectId,
    variableKeys: bigintArray(Float64Array.from(ranges, (range) => variableKeys[range.seriesIndex] as number)),
    starts: instantArray(Float64Array.from(ranges, (range) => range.startUs)),
    ends: instantArray(Float64Array.from(ranges, (range) => range.endUs)),
    limit,
  } satisfies PageArgs;
}

interface Column {
  readonly rangeIndex: number;
  readonly instantsUs: Float64Array;
  readonly values: string;
}

/** The columns of a page, without the observation that only says that there is a further page. */
function toColumns(stored: readonly StoredRangePage[], limit: number): Column[] {
  let room = limit;
  return stored.flatMap(({ rangeIndex, count, instants, values }) => {
    const isCut = count > room;
    room -= count;
    if (instants === undefined || values === undefined || (isCut && count === 1)) return [];
    return [
      {
        rangeIndex,
        instantsUs: instantsFromBytes(isCut ? instants.subarray(0, -8) : instants),
        values: isCut ? values.slice(0, values.lastIndexOf(',')) : values,
      },
    ];
  });
}

/** What a page has of each series that it goes through, one after the other. */
function toSeriesPages(
  { variableKeys, changedSince }: ListObservationsRequest,
  ranges: readonly SeriesRange[],
  covered: readonly SeriesRange[],
  columns: readonly Column[],
): SeriesPage[] {
  const tellsRanges = changedSince !== undefined;
  const told = tellsRanges ? covered : columns.map(({ rangeIndex }) => ranges[rangeIndex] as SeriesRange);
  return [...new Set(told.map((range) => range.seriesIndex))].map((seriesIndex): SeriesPage => {
    const own = columns.filter((column) => ranges[column.rangeIndex]?.seriesIndex === seriesIndex);
    const timestamps = own.map(({ instantsUs }) => formatInstants(instantsUs).slice(1, -1));
    return {
      variableKey: variableKeys[seriesIndex] as number,
      count: own.reduce((sum, { instantsUs }) => sum + instantsUs.length, 0),
      timestampsJson: `[${timestamps.join(',')}]`,
      valuesJson: `[${own.map(({ values }) => values).join(',')}]`,
      changedRanges: tellsRanges ? covered.filter((range) => range.seriesIndex === seriesIndex) : [],
    };
  });
}

/**
 * One page of raw observations of several series, in the order asked: all of a range, or of it what
 * was changed since a mark.
 *
 * @param changesKeptUs - how long changes are kept
 */
export async function listObservations(
  db: Db,
  request: ListObservationsRequest,
  changesKeptUs: number,
): Promise<ListObservationsResponse> {
  const { variableKeys, after, descending, limit } = request;
  if (limit < 1 || limit > limitMax) throw new WeirError('invalid_request', `Ask for 1 to ${limitMax} observations.`);
  const startUs = Math.max(request.startUs ?? observationInstantMinUs, observationInstantMinUs);
  const endUs = Math.min(request.endUs ?? observationInstantEndUs, observationInstantEndUs);
  const changes =
    request.changedSince === undefined
      ? undefined
      : await readChanges(db, { ...request, startUs, endUs }, request.changedSince, changesKeptUs);
  const asked = changes?.ranges ?? variableKeys.map((_, seriesIndex) => ({ seriesIndex, startUs, endUs }));
  const left = rangesAfter(asked, after, descending);
  const ranges = left.slice(0, rangesMax);
  const statement = descending ? selectPageDescending : selectPageAscending;
  const stored = await asQueryLimit(statement.all(db, toPageArgs(request, ranges)));
  const columns = toColumns(stored, limit);
  const isCut = stored.reduce((sum, { count }) => sum + count, 0) > limit;
  const cutIndex = stored.at(-1)?.rangeIndex ?? 0;
  const lastUs = columns.findLast((column) => column.rangeIndex === cutIndex)?.instantsUs.at(-1);
  const covered = coveredRanges(ranges, isCut ? { rangeIndex: cutIndex, lastUs } : undefined, descending);
  const { mark: snapshot = '', markAtUs: atUs = 0 } = stored[0] ?? {};
  return {
    series: toSeriesPages(request, ranges, covered, columns),
    nextAfter: isCut || left.length > ranges.length ? positionAfter(covered, descending) : undefined,
    // the ranges were read before the observations
    changeMark: formatMark(changes?.mark ?? { snapshot, atUs }),
  };
}
