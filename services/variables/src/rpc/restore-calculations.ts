import type { Actor } from '@weir/kit/records';
import type { Transaction } from '@weir/kit/sql';
import { dirtyByComputation, noComputation } from '../domain/dirty.js';
import type { Variable } from '../domain/variable.js';
import { selectCalculations } from '../store/calculations.js';
import { selectCalculatedIds } from '../store/variables.js';
import { requireInputsActive } from './dependents.js';
import { type Cause, startRecalculation } from './start-recalculation.js';

/** Starts the recalculation of all values of calculated variables that come to be active again. */
async function recalculateWhole(tx: Transaction, cause: Cause, variableIds: readonly string[]): Promise<string> {
  const stored = await selectCalculations.all(tx, { projectId: cause.projectId, variableIds });
  const dirty = stored.map(({ variableId, calculations }) =>
    dirtyByComputation(variableId, noComputation, { ...noComputation, calculations }),
  );
  return await startRecalculation(tx, cause, dirty);
}

/**
 * Lets a calculated variable come back: whatever it reads must be active, and everything of it is computed
 * again, as what it reads may have changed meanwhile.
 *
 * @param isRestored - false when it was active already, and nothing is to be computed
 * @returns the id of the recalculation's run
 * @throws WeirError `dependency_conflict`
 */
export async function restoreCalculations(
  tx: Transaction,
  { projectId, id, instrumentId }: Variable,
  actor: Actor,
  isRestored: boolean,
): Promise<string> {
  const variableIds = isRestored ? [id] : [];
  await requireInputsActive(tx, { projectId, variableIds, instrumentId }, 'path/variable_id');
  const cause = { projectId, causeKind: 'calculated_variable', causeId: id, actor } as const;
  return await recalculateWhole(tx, cause, variableIds);
}

/** The same for the calculated variables that come back with their instrument, if it has any. */
export async function restoreCalculationsOf(tx: Transaction, projectId: string, instrumentId: string, actor: Actor) {
  const variableIds = (await selectCalculatedIds.all(tx, { projectId, instrumentId })).map(({ id }) => id);
  if (variableIds.length === 0) return;
  await requireInputsActive(tx, { projectId, variableIds, instrumentId }, 'path/instrument_id');
  await recalculateWhole(tx, { projectId, causeKind: 'instrument', causeId: instrumentId, actor }, variableIds);
}
