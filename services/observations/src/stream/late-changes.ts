import type { Transaction } from '@weir/kit/sql';
import { type Changes, type Places, type Segment, segmentsOf } from '../domain/reach.js';
import { instantsFromBytes } from '../store/binary.js';
import { selectInstantsBetween } from '../store/changed-rows.js';
import type { Reader } from '../store/readers.js';

/** Fewer changes of a series than this are not worth a look at what lies between them. */
const changesMin = 32;

/** Notes which changes of a segment come next to each other among the observations of their series. */
function noteJoined(
  joined: Uint8Array,
  { start, end }: Segment,
  instantsUs: Float64Array,
  storedUs: Float64Array,
): void {
  let at = 0;
  for (let change = start; change < end; change++) {
    const isNext = at > 0 && change > start && storedUs[at - 1] === instantsUs[change - 1];
    if (isNext && storedUs[at] === instantsUs[change]) joined[change] = 1;
    while (at < storedUs.length && (storedUs[at] as number) <= (instantsUs[change] as number)) at++;
  }
}

/**
 * Changes of rows that are written among others, such as a year that is delivered late. Where their series alone gives
 * readers their instants it looks up which of them have nothing in between, so that these are one range.
 */
export async function lateChanges(tx: Transaction, readers: readonly Reader[], changes: Places): Promise<Changes> {
  const joined = new Uint8Array(changes.count);
  const isJoined = (change: number): boolean => joined[change] === 1;
  const segments = segmentsOf(changes);
  const driving = new Set(readers.filter(({ isSoleDriver }) => isSoleDriver).map(({ inputKey }) => inputKey));
  for (const variableKey of driving) {
    const segment = segments.get(variableKey);
    if (segment === undefined || segment.end - segment.start < changesMin) continue;
    const { instants } = await selectInstantsBetween.one(tx, {
      variableKey,
      firstUs: changes.instantsUs[segment.start] as number,
      lastUs: changes.instantsUs[segment.end - 1] as number,
      limit: 2 * (segment.end - segment.start),
    });
    if (instants !== undefined) noteJoined(joined, segment, changes.instantsUs, instantsFromBytes(instants));
  }
  return { ...changes, isJoined };
}
