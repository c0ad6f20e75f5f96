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
} from '@weir/proto/observations';
import { aggregateFunction, wantedOf } from '../domain/aggregate-functions.js';
import { autoInterval } from '../domain/auto-interval.js';
import { type BucketGrid, bucketEdges, bucketGrid } from '../domain/bucket-grid.js';
import { bucketsJson } from '../domain/bucket-json.js';
import type { BucketPosition } from '../domain/bucket-page.js';
import { type Buckets, noBuckets } from '../domain/buckets.js';
import { formatMark } from '../domain/change-mark.js';
import { type Fill, fills, placeBuckets } from '../domain/fill-buckets.js';
import { breakAtGaps, gapFlags } from '../domain/gap-marks.js';
import { selectMark } from '../store/changed-ranges.js';
import { selectLastInstantsBefore } from '../store/neighbours.js';
import { readFilled } from './filled-page.js';
import { type PageOfBuckets, readOccupied } from './page-of-buckets.js';
import { asQueryLimit } from './query-limit.js';
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

/** A series of an answer, and where its buckets start. */
interface Shown {
  readonly starts: Float64Array;
  readonly buckets: Buckets;
  readonly gaps?: readonly boolean[];
}

/** The last instants before a range, by the keys of those series of which it is known how often they come. */
async function readLastBefore(
  { db, projectId }: BucketSource,
  startUs: number,
  series: readonly AggregatedSeries[],
): Promise<Map<number, number>> {
  const variableKeys = series.filter((each) => each.expectedCadenceS !== undefined).map((each) => each.variableKey);
  if (variableKeys.length === 0) return new Map();
  const range = { startUs: observationInstantMinUs, endUs: startUs };
  const found = await asQueryLimit(selectLastInstantsBefore.all(db, { projectId, variableKeys, ...range }));
  return new Map(found.map(({ seriesIndex, atUs }) => [variableKeys[seriesIndex] as number, atUs]));
}

/** All buckets of the range, with the gaps between the observations of each series. */
async function readUnpaged(
  source: BucketSource,
  { range, fill }: Asked,
  series: readonly AggregatedSeries[],
  pointsMax: number,
): Promise<Shown[]> {
  const { grid } = source;
  const edges = bucketEdges(grid, range.startUs, range.endUs, pointsMax);
  const read = await readBuckets(source, range, edges);
  const lastBefore = await readLastBefore(source, range.startUs, series);
  const untilUs = Math.min(range.endUs, Date.now() * 1000);
  return series.map(({ variableKey, expectedCadenceS = Number.POSITIVE_INFINITY }, i) => {
    const buckets = read[i] as Buckets;
    const gapMaxUs = 2 * expectedCadenceS * 1_000_000;
    const lastBeforeUs = lastBefore.get(variableKey) ?? Number.NaN;
    const around = { lastBeforeUs, firstStartUs: edges[0] as number, untilUs, next: grid.next };
    const starts = fill === 'none' ? breakAtGaps(buckets, gapMaxUs, around) : edges.subarray(0, -1);
    return { starts, buckets, gaps: gapFlags(buckets, placeBuckets(starts, buckets), gapMaxUs, around) };
  });
}

/**
 * One page of buckets of several series.
 *
 * @param observationsMax - how many observations may be read for it
 */
export async function aggregateObservations(
  db: Db,
  request: AggregateObservationsRequest,
  observationsMax: number,
): Promise<AggregateObservationsResponse> {
  const asked = check(request);
  const { range, fill } = asked;
  const { projectId, timezone, functions, descending, limit, from, pointsMax } = request;
  const isAuto = asked.interval === undefined;
  // bounds that were clamped may leave nothing between them
  const isEmpty = range.startUs >= range.endUs;
  const endUs = isEmpty ? range.startUs + 1 : range.endUs;
  const interval = asked.interval ?? autoInterval(range.startUs, endUs, pointsMax, timezone);
  const grid = bucketGrid(interval, timezone);
  const source: BucketSource = {
    db,
    projectId,
    variableKeys: request.series.map(({ variableKey }) => variableKey),
    grid,
    observationsMax,
    wanted: wantedOf(functions, isAuto && request.series.some((each) => each.expectedCadenceS !== undefined)),
  };
  // before all else, so that it stands for no more than the buckets hold
  const changeMark = formatMark(await selectMark.one(db, undefined));
  const isComplete = completeness(grid, { ...range, endUs });
  const answer = (shown: readonly Shown[], nextFrom?: BucketPosition) => ({
    interval: formatInterval(interval),
    series: shown.map((each) => ({
      count: each.starts.length,
      columns: bucketsJson({ gaps: undefined, ...each, functions, fill, isComplete, descending }),
    })),
    nextFrom,
    changeMark,
  });
  if (isEmpty) {
    const nothing = { starts: noBuckets.starts, buckets: noBuckets };
    return answer(request.series.map(() => (isAuto ? { ...nothing, gaps: [] } : nothing)));
  }
  if (isAuto) return answer(await readUnpaged(source, asked, request.series, pointsMax));
  const page: PageOfBuckets = { ...range, descending, limit, from };
  if (fill === 'none') {
    const { series, nextFrom } = await readOccupied(source, page);
    const shown = series.map((buckets) => ({ starts: buckets.starts, buckets }));
    return answer(shown, nextFrom);
  }
  const { series, nextFrom } = await readFilled(source, page, fill);
  return answer(series, nextFrom);
}
