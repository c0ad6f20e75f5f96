import { formatInstant } from '@weir/kit/time';
import type { BucketsRead, History, RowsRead, SeriesRead } from './history.js';

/** A value that was sent for an instant. */
interface Written {
  readonly value: number;
  /** When it was sent first: what was read before cannot have it. */
  readonly sentMs: number;
  /** When its run was first known to have succeeded: what was asked for after that cannot lack it. */
  readonly storedMs: number;
}

/** What a device sent, in the order of instants; of one instant in the order of sending, which is that of admission. */
type Writings = readonly (readonly [atUs: number, written: readonly Written[]])[];

/** By device. */
function toWritings({ sent, sightings }: History): Map<string, Writings> {
  const storedMs = new Map<string, number>();
  for (const { runId, state, endedMs } of sightings)
    if (state === 'succeeded') storedMs.set(runId, Math.min(endedMs, storedMs.get(runId) ?? Number.POSITIVE_INFINITY));
  const devices = new Map<string, Map<number, Written[]>>();
  for (const { device, readings, answers } of sent) {
    const instants = devices.get(device) ?? new Map<number, Written[]>();
    devices.set(device, instants);
    const runs = answers.find(({ runs: list }) => list !== undefined)?.runs ?? [];
    readings.forEach(({ atUs, value }, index) => {
      const written = {
        value,
        sentMs: answers[0]?.sentMs ?? Number.NEGATIVE_INFINITY,
        storedMs: storedMs.get(runs[index] ?? '') ?? Number.POSITIVE_INFINITY,
      };
      const before = instants.get(atUs);
      if (before === undefined) instants.set(atUs, [written]);
      else before.push(written);
    });
  }
  return new Map([...devices].map(([device, instants]) => [device, [...instants].sort(([a], [b]) => a - b)]));
}

/** What a read may have of one instant. */
interface Allowed {
  readonly values: readonly number[];
  /** Whether it must have one of them. */
  readonly isKnown: boolean;
}

/** By instant of the range: what was stored before it was asked for, and whatever was sent after that until it was answered. */
function allowedOf({ fromUs, toUs, sentMs, endedMs }: SeriesRead, writings: Writings): Map<number, Allowed> {
  const allowed = new Map<number, Allowed>();
  for (const [atUs, written] of writings) {
    if (atUs < fromUs || atUs >= toUs) continue;
    const known = written.findLastIndex(({ storedMs }) => storedMs <= sentMs);
    const values = written.slice(Math.max(known, 0)).filter((one) => one.sentMs <= endedMs);
    if (values.length > 0) allowed.set(atUs, { values: values.map(({ value }) => value), isKnown: known >= 0 });
  }
  return allowed;
}

/** Whether columns are of one length, and their instants in the range, ascending, each once. */
function checkShape(
  { fromUs, toUs, goesOn }: SeriesRead,
  { atUs, ...others }: Readonly<Record<string, readonly number[]>> & { readonly atUs: readonly number[] },
): string[] {
  const faults: string[] = [];
  if (Object.values(others).some(({ length }) => length !== atUs.length)) faults.push('has columns of other lengths');
  const at = atUs.findIndex((instant, index) => index > 0 && instant <= (atUs[index - 1] as number));
  if (at > 0) faults.push(`has ${formatInstant(atUs[at] as number)} after ${formatInstant(atUs[at - 1] as number)}`);
  const outside = atUs.find((instant) => !(instant >= fromUs && instant < toUs));
  if (outside !== undefined) faults.push(`has ${outside}, which is not in its range`);
  if (goesOn === true && atUs.length === 0) faults.push('has nothing and goes on');
  return faults;
}

function checkRows({ columns, goesOn, toUs }: RowsRead, allowed: ReadonlyMap<number, Allowed>): string[] {
  if (columns === undefined) return [];
  const { atUs, values } = columns;
  const has = new Set(atUs);
  const endUs = goesOn === true ? (atUs.at(-1) ?? 0) + 1 : toUs;
  const wrong = atUs.flatMap((instant, index) => {
    const value = values[index] as number;
    const { values: may = [] } = allowed.get(instant) ?? {};
    if (may.some((one) => Object.is(one, value))) return [];
    return [`has ${value} at ${formatInstant(instant)}, where it may be ${may.join(' or ') || 'nothing'}`];
  });
  const lacking = [...allowed].filter(([instant, { isKnown }]) => isKnown && instant < endUs && !has.has(instant));
  return [...wrong, ...lacking.map(([instant]) => `lacks ${formatInstant(instant)}, which was stored before`)];
}

function checkBuckets(
  { columns, goesOn, toUs, lengthUs }: BucketsRead,
  allowed: ReadonlyMap<number, Allowed>,
): string[] {
  if (columns === undefined) return [];
  const { atUs, count, min, max } = columns;
  const places = new Map(atUs.map((startUs, place) => [startUs, place]));
  const endUs = goesOn === true ? (atUs.at(-1) ?? 0) + lengthUs : toUs;
  const inBucket = Map.groupBy(allowed, ([instant]) => Math.floor(instant / lengthUs) * lengthUs);
  const empty = atUs.filter((startUs) => !inBucket.has(startUs));
  const faults = [...inBucket].flatMap(([startUs, entries]) => {
    if (startUs >= endUs) return [];
    const known = entries.map(([, one]) => one).filter(({ isKnown }) => isKnown);
    const place = places.get(startUs);
    if (place === undefined) return known.length > 0 ? [`lacks the bucket ${formatInstant(startUs)}`] : [];
    const [counted, least, greatest] = [count[place] ?? 0, min[place] as number, max[place] as number];
    const may = new Set(entries.flatMap(([, { values }]) => values));
    // each that must be there is one of its values, so that none of it is beyond the extremes
    const isWithin = known.every(({ values }) => values.some((value) => value >= least && value <= greatest));
    return [
      ...(counted < Math.max(known.length, 1) || counted > entries.length
        ? [`counts ${counted} in ${formatInstant(startUs)}, of ${known.length} to ${entries.length}`]
        : []),
      ...(may.has(least) && may.has(greatest) && least <= greatest && isWithin
        ? []
        : [`has ${least} to ${greatest} in ${formatInstant(startUs)}, which cannot be`]),
    ];
  });
  return [...empty.map((startUs) => `has the bucket ${formatInstant(startUs)} of nothing`), ...faults];
}

/** What a read may be answered with that is no 200: refusals that say when to come again. */
const refusals: Readonly<Record<string, number>> = {
  dependency_unavailable: 503,
  rate_limited: 429,
  concurrency_limited: 429,
};

function checkRead(read: SeriesRead, writings: Writings): string[] {
  const { status, code = 'no code', retryAfterS = 0, columns } = read;
  if (status === 0) return [];
  if (status !== 200)
    return refusals[code] === status && retryAfterS >= 1
      ? []
      : [`was answered with ${status} ${code}, to come again after ${retryAfterS} s`];
  if (columns === undefined) return ['is a 200 that cannot be read'];
  const shape = checkShape(read, columns);
  if (shape.length > 0) return shape;
  const allowed = allowedOf(read, writings);
  return read.what === 'buckets' ? checkBuckets(read, allowed) : checkRows(read, allowed);
}

/**
 * I6: a read that is answered with 200 has all of its range that was stored before it was asked for, nothing that was
 * not sent, each instant once and in order; any other answer is one that the API declares, or none.
 */
export function checkReads(history: History): string[] {
  const writings = toWritings(history);
  return history.reads.flatMap((read) =>
    checkRead(read, writings.get(read.device) ?? []).map(
      (fault) => `I6: ${read.what} of ${read.device} from ${formatInstant(read.fromUs)} ${fault}`,
    ),
  );
}
