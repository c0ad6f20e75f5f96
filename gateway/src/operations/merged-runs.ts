import type { Run } from '@weir/proto/ingestion';
import type { Recalculation } from '@weir/proto/variables';
import { toRecalculationJson } from '../schemas/recalculation-runs.js';
import { toRunJson } from '../schemas/runs.js';

/** A page of one kind of runs, newest first: by the descending order of their ids. */
interface Part<R> {
  readonly runs: readonly R[];
  /** Down to which id this is all of its kind; empty when there are no further ones. */
  readonly nextAfter: string;
}

/**
 * One page of both kinds of runs, newest first. A part that goes on tells nothing of what lies below its
 * end, so the page ends there too; then it may be short.
 *
 * @param limit - runs of the page, at most
 */
export function mergeRuns(ingested: Part<Run>, recalculations: Part<Recalculation>, limit: number) {
  const known = [ingested.nextAfter, recalculations.nextAfter].reduce((a, b) => (a > b ? a : b));
  const runs = [...ingested.runs.map(toRunJson), ...recalculations.runs.map(toRecalculationJson)]
    .filter((run) => run.run_id >= known)
    .sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
  const items = runs.slice(0, limit);
  return { items, nextAfter: runs.length > limit ? (items.at(-1)?.run_id ?? '') : known };
}
