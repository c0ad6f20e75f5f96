import type { Db } from '@weir/kit/sql';
import { driverReads } from '../domain/needed-reads.js';
import { instantArray } from '../store/binary.js';
import { noteInstants } from '../store/dirty.js';
import { countInstants, countSharedInstants } from '../store/inputs.js';
import type { Rest } from './settle-marks.js';

/** Counting ends there: more is not needed to tell how far a recalculation is. */
const countMax = 10_000_000;

async function countRest(db: Db, { computed, mark }: Rest): Promise<number> {
  const { calculation } = computed.claimed;
  const reads = calculation === undefined ? [] : driverReads(calculation, mark.ranges);
  const starts = instantArray(Float64Array.from(reads.flatMap(({ ranges }) => [...ranges.startsUs])));
  const ends = instantArray(Float64Array.from(reads.flatMap(({ ranges }) => [...ranges.endsUs])));
  const [first] = reads;
  if (first === undefined) return 0;
  if (reads.length === 1) {
    const { count } = await countInstants.one(db, { variableKey: first.variableKey, starts, ends, limit: countMax });
    return count;
  }
  const variableKeys = reads.flatMap(({ variableKey, ranges }) => Array.from(ranges.startsUs, () => variableKey));
  return (await countSharedInstants.one(db, { variableKeys, starts, ends, limit: countMax })).count;
}

/** Counts, once, how many instants recalculations still have to compute. Under no lock: it says how far they are, and no more. */
export async function countRests(db: Db, rests: readonly Rest[]): Promise<void> {
  for (const rest of rests) {
    if (rest.mark.runId === undefined || rest.instants !== undefined) continue;
    await noteInstants.run(db, { id: rest.id, instants: await countRest(db, rest) });
  }
}
