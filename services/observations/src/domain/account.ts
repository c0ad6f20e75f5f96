import { missingReasons } from '@weir/expression';
import { forEachWithin } from './combine-ranges.js';
import type { Evaluation } from './evaluate-instants.js';
import type { Ranges } from './ranges.js';

/** What was done for a recalculation. */
export interface Account {
  readonly instants: number;
  /** how many of them have no value, by reason; only those that occur */
  readonly missing: Readonly<Record<string, number>>;
}

/** Counts the instants of an evaluation that are within ranges. */
export function accountFor({ instantsUs, reasons }: Evaluation, ranges: Ranges): Account {
  let instants = 0;
  const counts = new Uint32Array(missingReasons.length + 1);
  forEachWithin(instantsUs, ranges, (at) => {
    instants++;
    (counts[reasons[at] as number] as number)++;
  });
  const missing = missingReasons.map((reason, i) => [reason, counts[i + 1] as number] as const);
  return { instants, missing: Object.fromEntries(missing.filter(([, count]) => count > 0)) };
}
