import { sql, statement, type Transaction } from '@weir/kit/sql';
import { observationInstantEndUs } from '@weir/kit/time';
import { z } from 'zod';
import type { ComputedLane } from '../domain/mark-lanes.js';
import type { Ranges } from '../domain/ranges.js';
import { type Changes, type Places, reachOf, type Segment, segmentsOf } from '../domain/reach.js';
import { bigintArray, instantArray, instantsFromBytes } from './binary.js';
import { multirangeArray } from './multiranges.js';
import { type Reader, selectNextInstants, selectReaders } from './readers.js';

/** Whose marks they are. */
export interface MarkOptions {
  readonly lane: ComputedLane;
  /** The recalculation that counts them. */
  readonly runId: string | undefined;
}

/** Adds what is to be computed again, a row a variable: it is in no run's count of ranges, and of no generation. */
export const insertMarks = statement(
  z.object({}),
  (args: { variableKeys: Buffer; ranges: Buffer } & MarkOptions) => sql`
    insert into observations.dirty (variable_key, ranges, lane, run_id, configuration_generation, range_count)
    select given.variable_key, given.ranges, ${args.lane}::smallint, ${args.runId ?? null}::uuid, 0, 0
    from unnest(${args.variableKeys}::bigint[], ${args.ranges}::tstzmultirange[]) as given (variable_key, ranges)`,
);

/** How far the edges of each series that stop at its next observation reach at most. */
function lookAheads(readers: readonly Reader[]): Map<number, number> {
  const reaches = new Map<number, number>();
  for (const { inputKey, stops, reachUs } of readers) {
    if (stops === 'never') continue;
    reaches.set(inputKey, Math.max(reaches.get(inputKey) ?? 0, reachUs ?? Number.POSITIVE_INFINITY));
  }
  return reaches;
}

/** The next observation after each change, where a reader stops there. */
async function nextsOf(
  tx: Transaction,
  readers: readonly Reader[],
  segments: ReadonlyMap<number, Segment>,
  changes: Changes,
): Promise<Float64Array> {
  const { variableKeys, instantsUs } = changes;
  const asked: number[] = [];
  const untils: number[] = [];
  const reaches = lookAheads(readers);
  if (reaches.size === 0) return new Float64Array();
  const nextsUs = new Float64Array(changes.count);
  for (const [key, reachUs] of reaches) {
    const { start, end } = segments.get(key) as Segment;
    for (let change = start; change < end; change++) {
      if (change + 1 < end && changes.isJoined(change + 1)) nextsUs[change] = instantsUs[change + 1] as number;
      else {
        asked.push(change);
        untils.push(Math.min((instantsUs[change] as number) + reachUs, observationInstantEndUs));
      }
    }
  }
  const { nexts } = await selectNextInstants.one(tx, {
    variableKeys: bigintArray(Float64Array.from(asked, (change) => variableKeys[change] as number)),
    instants: instantArray(Float64Array.from(asked, (change) => instantsUs[change] as number)),
    untils: instantArray(Float64Array.from(untils)),
  });
  const foundUs = instantsFromBytes(nexts);
  asked.forEach((change, i) => {
    nextsUs[change] = foundUs[i] as number;
  });
  return nextsUs;
}

/** What reads series, where a change at one of the instants or later reaches it: nothing as a rule. */
export async function readersOf(tx: Transaction, changes: Places): Promise<Reader[]> {
  const { count, variableKeys, instantsUs } = changes;
  const keys: number[] = [];
  let sinceUs = Number.POSITIVE_INFINITY;
  for (let change = 0; change < count; change++) {
    const key = variableKeys[change] as number;
    if (key !== keys[keys.length - 1]) keys.push(key);
    sinceUs = Math.min(sinceUs, instantsUs[change] as number);
  }
  if (count === 0) return [];
  return await selectReaders.all(tx, { inputKeys: bigintArray(Float64Array.from(keys)), sinceUs });
}

/**
 * Marks what readers compute from changed observations, in the transaction that wrote them.
 *
 * @param readers - of `readersOf` with these changes, or with more
 * @returns whether anything is marked
 */
export async function mark(
  tx: Transaction,
  readers: readonly Reader[],
  changes: Changes,
  options: MarkOptions,
): Promise<boolean> {
  const segments = segmentsOf(changes);
  const reached = readers.filter(({ inputKey }) => segments.has(inputKey));
  if (reached.length === 0) return false;
  const nextsUs = await nextsOf(tx, reached, segments, changes);
  const keys: number[] = [];
  const marks: Ranges[] = [];
  for (const [readerKey, edges] of Map.groupBy(reached, (edge) => edge.readerKey)) {
    const ranges = reachOf(edges, segments, changes, nextsUs);
    if (ranges.startsUs.length === 0) continue;
    keys.push(readerKey);
    marks.push(ranges);
  }
  if (keys.length === 0) return false;
  const variableKeys = bigintArray(Float64Array.from(keys));
  await insertMarks.run(tx, { variableKeys, ranges: multirangeArray(marks), ...options });
  return true;
}

/**
 * Marks what is computed from changed observations, in the transaction that wrote them and under `shareProjects`.
 *
 * @returns whether anything is marked
 */
export async function markReaders(tx: Transaction, changes: Changes, options: MarkOptions): Promise<boolean> {
  return await mark(tx, await readersOf(tx, changes), changes, options);
}
