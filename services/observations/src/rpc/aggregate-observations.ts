import { WeirError } from '@weir/kit/errors';
import type { Db } from '@weir/kit/sql';
import {
  formatInterval,
  type Interval,
  isTimezone,
  observationInstantEndUs,
  observationInstantMinUs,
  parseInterval,
} from '@weir/kit/time';
import type {
  AggregatedSeries,
  AggregateObservationsRequest,
  AggregateObservationsResponse,
  DeepPartial,
  SeriesBuckets,
} from '@weir/proto/observations';
import { aggregateFunction, wantedOf } from '../domain/aggregate-functions.js';
import { autoInterval } from '../domain/auto-interval.js';
import { type BucketGrid, bucketEdges, bucketGrid } from '../domain/bucket-grid.js';
import { bucketsJson } from '../domain/bucket-json.js';
import type { Buckets } from '../domain/buckets.js';
import { formatMark } from '../domain/change-mark.js';
import { type Fill, fills, placeBuckets } from '../domain/fill-buckets.js';
import { breakAtGaps, gapFlags } from '../domain/gap-marks.js';
import { selectMark } from '../store/changed-ranges.js';
import { readFilled } from './filled-page.js';
import { type PageOfBuckets, readOccupied } from './page-of-buckets.js';
import { type BucketSource, readBuckets } from './read-buckets.js';

const bucketsMax = 10_000;
const seriesMax = 50;
/** Buckets of all series in an answer that is not paged. */
const unpagedMax = 100_000;

function invalid(message: string): WeirError {
  return new WeirError('invalid_request', message);
}

/** A request that can be answered. */
interface Asked {
  readonly range: { readonly startUs: number; readonly endUs: number };
  /** Absent: as short as `pointsMax` allows. */
  readonly interval: Interval | undefined;
  readonly fill: Fill;
}

function check(request: AggregateObservationsRequest): Asked {
  const { series, startUs, endUs, interval, timezone, functions, limit, pointsMax } = request;
  const range = {
    startUs: Math.max(startUs, observationInstantMinUs),
    endUs: Math.min(endUs, observationInstantEndUs),
  };
  if (series.length < 1 || series.length > seriesMax) throw invalid(`Ask for 1 to ${seriesMax} series.`);
  if (!isTimezone(timezone)) throw invalid('Give the name of an IANA time zone, such as Europe/Berlin or UTC.');
  const unknown = functions.find((name) => aggregateFunction(name) === undefined);
  if (unknown !== undefined) throw invalid(`There is no function ${unknown}.`);
  const fill = fills.find((each) => each === request.fill);
  if (fill === undefined) throw invalid(`Give one of ${fills.join(', ')} as fill.`);
  if (interval === undefined) {
    if (pointsMax < 2 || pointsMax > bucketsMax) throw invalid(`Ask for 2 to ${bucketsMax} points.`);
    if (series.length * pointsMax > unpagedMax) {
      const message = `The answer would have more than ${unpagedMax} buckets; ask for fewer points or fewer variables.`;
      throw new WeirError('response_too_large', message);
    }
    return { range, interval: undefined, fill };
  }
  if (limit < 1 || limit > bucketsMax) throw invalid(`Ask for 1 to ${bucketsMax} buckets.`);
  const parsed = parseInterval(interval);
  if ('fault' in parsed) throw invalid(parsed.fault);
  return { range, interval: parsed.interval, fill };
}

/** Whether the range covers a bucket whole. */
function completeness(grid: BucketGrid, { startUs, endUs }: Asked['range']): (bucketUs: number) => boolean {
  const firstUs = grid.floor(startUs);
  const lastUs = grid.floor(endUs - 1);
  const isFirstWhole = firstUs === startUs;
  const isLastWhole = grid.next(lastUs) <= endUs;
  return (bucketUs) => (bucketUs !== firstUs || isFirstWhole) && (bucketUs !== lastUs || isLastWhole);
}

/** One page of buckets of several series. */
export async function aggregateObservations(
  db: Db,
  request: AggregateObservationsRequest,
): Promise<DeepPartial<AggregateObservationsResponse>> {
  const { range, interval: asked, fill } = check(request);
  const { projectId, timezone, functions, descending } = request;
  // a range that lies outside the years of observations has no buckets
  const isEmpty = range.startUs >= range.endUs;
  const interval =
    asked ?? autoInterval(range.startUs, isEmpty ? range.startUs + 1 : range.endUs, request.pointsMax, timezone);
  // before anything is read: what it does not see is changed since it
  const changeMark = formatMark(await selectMark.one(db, undefined));
  const answer = (series: SeriesBuckets[], nextFrom?: AggregateObservationsResponse['nextFrom']) => ({
    interval: formatInterval(interval),
    series,
    nextFrom,
    changeMark,
  });
  const isAuto = asked === undefined;
  const grid = bucketGrid(interval, timezone);
  const isComplete = isEmpty ? () => false : completeness(grid, range);
  const write = (starts: Float64Array, buckets: Buckets, gaps?: readonly boolean[]): SeriesBuckets => ({
    count: starts.length,
    columns: bucketsJson({ starts, buckets, functions, fill, isComplete, gaps, descending }),
  });
  const nothing = { starts: new Float64Array(0), columns: {} };
  if (isEmpty) return answer(request.series.map(() => write(nothing.starts, nothing, isAuto ? [] : undefined)));
  const source: BucketSource = {
    db,
    projectId,
    variableKeys: request.series.map(({ variableKey }) => variableKey),
    grid,
    wanted: wantedOf(functions, isAuto && request.series.some((each) => each.expectedCadenceS !== undefined)),
  };
  if (isAuto) {
    const edges = bucketEdges(grid, range.startUs, range.endUs, request.pointsMax);
    const read = await readBuckets(source, range, edges);
    return answer(read.map((buckets, i) => writeWithGaps(request.series[i] as AggregatedSeries, buckets, edges)));
  }
  const page: PageOfBuckets = { ...range, descending, limit: request.limit, from: request.from };
  if (fill === 'none') {
    const { series, nextFrom } = await readOccupied(source, page);
    return answer(
      series.map((buckets) => write(buckets.starts, buckets)),
      nextFrom,
    );
  }
  const { series, nextFrom } = await readFilled(source, page, fill);
  return answer(
    series.map(({ starts, buckets }) => write(starts, buckets)),
    nextFrom,
  );

  function writeWithGaps({ expectedCadenceS }: AggregatedSeries, buckets: Buckets, edges: Float64Array): SeriesBuckets {
    const gapMaxUs = expectedCadenceS === undefined ? Number.POSITIVE_INFINITY : 2 * expectedCadenceS * 1_000_000;
    const shown = fill === 'none' ? breakAtGaps(buckets, gapMaxUs, grid.next) : buckets;
    const starts = fill === 'none' ? shown.starts : edges.subarray(0, -1);
    return write(starts, buckets, gapFlags(buckets, placeBuckets(starts, buckets), gapMaxUs));
  }
}
