import type { RunErrorCode } from '@weir/kit/run-codes';
import type { Points } from '@weir/points';
import { addVariableFault, type BatchToSettle, type RunFaults, type Settlement, type VariableFault } from './settle.js';

/** How a run ended that did not store all of its values. */
export interface RunDeviation {
  readonly index: number;
  readonly state: 'succeeded' | 'partially_succeeded' | 'failed';
  /** Why it failed. */
  readonly code?: RunErrorCode;
  /** The variables that were not stored; none means all where the run failed by `code`. */
  readonly variables: readonly VariableFault[];
}

/** How the runs of a batch ended: all stored, but for the deviations. */
export interface BatchOutcome {
  readonly batch: BatchToSettle;
  readonly deviations: readonly RunDeviation[];
}

function toDeviation(points: Points, index: number, { code, variables }: RunFaults): RunDeviation {
  if (code !== undefined) return { index, state: 'failed', code, variables };
  const ordered = [...variables].sort((a, b) => a.position - b.position);
  const failed = ordered.filter(({ outcome }) => outcome === 'failed');
  const count = (points.valueStarts[index + 1] as number) - (points.valueStarts[index] as number);
  const reason = failed[0]?.code;
  if (failed.length === count && reason !== undefined) {
    return { index, state: 'failed', code: reason, variables: ordered };
  }
  return { index, state: failed.length === 0 ? 'succeeded' : 'partially_succeeded', variables: ordered };
}

/**
 * The outcomes of the batches of a settlement, once its rows are stored. A run whose value lost
 * against one that was admitted later succeeds and says so.
 *
 * @param supersededRows - the rows for which the database had a later admission
 */
export function toOutcomes(settlement: Settlement, supersededRows: readonly number[]): BatchOutcome[] {
  const faults = settlement.faults.map((runs) => new Map(runs));
  for (const row of supersededRows) {
    const { batch, index, position } = settlement.originOf(row);
    const runs = faults[batch] as Map<number, RunFaults>;
    const known = runs.get(index);
    if (known !== undefined) runs.set(index, { ...known, variables: [...known.variables] });
    addVariableFault(runs, index, { position, outcome: 'superseded' });
  }
  return settlement.batches.map((batch, number) => ({
    batch,
    deviations: [...(faults[number] as Map<number, RunFaults>)]
      .map(([index, run]) => toDeviation(batch.points, index, run))
      .sort((a, b) => a.index - b.index),
  }));
}
