import { newId } from '@weir/kit/ids';
import type { Actor } from '@weir/kit/records';
import type { Transaction } from '@weir/kit/sql';
import { currentOrigin } from '@weir/kit/telemetry';
import type { CauseKind, DirtyVariable } from '../domain/recalculation.js';
import { insertRecalculation, insertRecalculationRanges } from '../store/recalculations.js';
import { updateVariableGenerations } from '../store/variables.js';

/** What caused a recalculation. */
export interface Cause {
  readonly projectId: string;
  readonly causeKind: CauseKind;
  readonly causeId: string;
  readonly actor: Actor;
}

/**
 * Writes down what has to be computed again, in the transaction that causes it, and raises the generation
 * of the variables. With nothing to compute the recalculation has succeeded at once.
 *
 * @returns the id of its run
 */
export async function startRecalculation(
  tx: Transaction,
  cause: Cause,
  variables: readonly DirtyVariable[],
): Promise<string> {
  const { projectId } = cause;
  const dirty = variables.filter(({ ranges }) => ranges.length > 0);
  const runId = newId();
  await insertRecalculation.run(tx, { ...cause, ...currentOrigin(), runId, isQueued: dirty.length > 0 });
  if (dirty.length === 0) return runId;
  const variableIds = dirty.map(({ variableId }) => variableId);
  const raised = await updateVariableGenerations.all(tx, { projectId, variableIds });
  const generations = new Map(raised.map(({ id, configurationGeneration }) => [id, configurationGeneration]));
  const ranges = dirty.flatMap((variable) =>
    variable.ranges.map((range) => ({
      ...range,
      variableId: variable.variableId,
      configurationGeneration: generations.get(variable.variableId) ?? 0,
    })),
  );
  await insertRecalculationRanges.run(tx, { projectId, runId, ranges });
  return runId;
}
