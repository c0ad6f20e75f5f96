import type { Transaction } from '@weir/kit/sql';
import { accountFor } from '../domain/account.js';
import { clipRanges, forEachWithin } from '../domain/combine-ranges.js';
import { type ComputedLane, markLanes } from '../domain/mark-lanes.js';
import type { Changes } from '../domain/reach.js';
import { deleteMarks, shrinkMark } from '../store/dirty.js';
import { markReaders } from '../store/mark-readers.js';
import { multirange } from '../store/multiranges.js';
import { addProgress } from '../store/results.js';
import type { Mark } from './claim.js';
import type { Computed } from './compute-claimed.js';

/** Results that have changed, of variables in ascending order. */
function toChanges(
  parts: readonly { readonly variableKey: number; readonly instantsUs: Float64Array; readonly joined: Uint8Array }[],
): Changes {
  const count = parts.reduce((sum, { instantsUs }) => sum + instantsUs.length, 0);
  const variableKeys = new Float64Array(count);
  const changedUs = new Float64Array(count);
  const allJoined = new Uint8Array(count);
  let at = 0;
  for (const { variableKey, instantsUs, joined } of parts) {
    variableKeys.fill(variableKey, at, at + instantsUs.length);
    changedUs.set(instantsUs, at);
    allJoined.set(joined, at);
    at += instantsUs.length;
  }
  return { count, variableKeys, instantsUs: changedUs, isJoined: (change) => allJoined[change] === 1 };
}

/** The changed results of a variable that a mark is the cause of. */
function changesWithin({ claimed, settled }: Computed, mark: Mark) {
  const { variableKey, marks } = claimed;
  if (marks.length === 1) return { variableKey, instantsUs: settled.instantsUs, joined: settled.joined };
  const instantsUs: number[] = [];
  const joined: number[] = [];
  let before = -1;
  forEachWithin(settled.instantsUs, mark.ranges, (at) => {
    instantsUs.push(settled.instantsUs[at] as number);
    joined.push(before === at - 1 ? (settled.joined[at] as number) : 0);
    before = at;
  });
  return { variableKey, instantsUs: Float64Array.from(instantsUs), joined: Uint8Array.from(joined) };
}

/** Marks what is computed from changed results, for the recalculations that changed them. */
export async function markFromResults(
  tx: Transaction,
  lane: ComputedLane,
  computed: readonly Computed[],
): Promise<boolean> {
  const caused = computed.flatMap((one) => one.claimed.marks.map((mark) => ({ one, mark })));
  let isMarked = false;
  for (const [runId, ofRun] of Map.groupBy(caused, ({ mark }) => mark.runId)) {
    const changes = toChanges(ofRun.map(({ one, mark }) => changesWithin(one, mark)));
    if (changes.count > 0 && (await markReaders(tx, changes, { lane, runId }))) isMarked = true;
  }
  return isMarked;
}

/** A mark of which something is left, in one row. */
export interface Rest {
  readonly id: number;
  readonly computed: Computed;
  readonly mark: Mark;
  readonly instants: number | undefined;
}

/**
 * Takes what is computed out of the marks, and counts it for their recalculations. What is too large for the live lane
 * goes on in that of recalculations.
 *
 * @returns what is left
 */
export async function settleMarks(tx: Transaction, lane: ComputedLane, computed: readonly Computed[]): Promise<Rest[]> {
  const gone: number[] = [];
  const rests: Rest[] = [];
  const progress: Parameters<typeof addProgress.run>[1][] = [];
  for (const one of computed) {
    for (const mark of one.claimed.marks) {
      const left = clipRanges(mark.ranges, one.untilUs, Number.POSITIVE_INFINITY);
      const isDone = left.startsUs.length === 0;
      const { instants, missing } = accountFor(one.evaluation, mark.ranges);
      if (mark.runId !== undefined) {
        progress.push({ runId: mark.runId, instants, missing, ranges: isDone ? mark.rangeCount : 0 });
      }
      const [first, ...others] = mark.ids;
      gone.push(...others);
      if (first === undefined || isDone) {
        gone.push(...mark.ids.slice(0, 1));
        continue;
      }
      const rest = {
        id: first,
        instants: mark.instants === undefined ? undefined : Math.max(mark.instants - instants, 0),
      };
      await shrinkMark.run(tx, {
        ...rest,
        ranges: multirange(left),
        rangeCount: mark.rangeCount,
        lane: one.isLarge ? markLanes.recalculation : lane,
      });
      rests.push({ ...rest, computed: one, mark: { ...mark, ranges: left } });
    }
  }
  if (gone.length > 0) await deleteMarks.run(tx, { ids: gone });
  progress.sort((a, b) => (a.runId < b.runId ? -1 : 1));
  for (const part of progress) await addProgress.run(tx, part);
  return rests;
}
