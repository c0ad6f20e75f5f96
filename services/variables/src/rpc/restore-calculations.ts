import type { Actor } from '@weir/kit/records';
import type { Transaction } from '@weir/kit/sql';
import { staleExpressions } from '../domain/check-expressions.js';
import { namesLost } from '../domain/dependents.js';
import { dirtyByComputation, noComputation } from '../domain/dirty.js';
import type { Instrument } from '../domain/instrument.js';
import type { Variable } from '../domain/variable.js';
import { selectCalculations } from '../store/calculations.js';
import { selectCalculatedIds } from '../store/variables.js';
import { requireInputsActive } from './dependents.js';
import { loadReadables } from './load-readables.js';
import { type Cause, startRecalculation } from './start-recalculation.js';

/** Starts the recalculation of all values of calculated variables that come to be active again, if they still can. */
async function recalculateWhole(
  tx: Transaction,
  cause: Cause,
  variableIds: readonly string[],
  path: string,
): Promise<string> {
  const stored = await selectCalculations.all(tx, { projectId: cause.projectId, variableIds });
  const all = stored.flatMap(({ calculations }) => calculations);
  const readables = await loadReadables(tx, cause.projectId, all);
  const stale = stored.flatMap(({ variableId, calculations }) => staleExpressions(variableId, calculations, readables));
  if (stale.length > 0) throw namesLost(stale, path);
  const dirty = stored.map(({ variableId, calculations }) =>
    dirtyByComputation(variableId, noComputation, { ...noComputation, calculations }),
  );
  return await startRecalculation(tx, cause, dirty);
}

/**
 * Lets a calculated variable come back: whatever it reads must be active and still be called as its
 * expressions call it, and everything of it is computed again, as what it reads may have changed meanwhile.
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
  const path = 'path/variable_id';
  await requireInputsActive(tx, { projectId, variableIds, instrumentId }, path);
  const cause = { projectId, causeKind: 'calculated_variable', causeId: id, actor } as const;
  return await recalculateWhole(tx, cause, variableIds, path);
}

/** The same for the calculated variables that come back with their instrument. */
export async function restoreCalculationsOf(
  tx: Transaction,
  { projectId, id: instrumentId }: Instrument,
  actor: Actor,
  isRestored: boolean,
): Promise<string> {
  const calculated = isRestored ? await selectCalculatedIds.all(tx, { projectId, instrumentId }) : [];
  const variableIds = calculated.map(({ id }) => id);
  const path = 'path/instrument_id';
  await requireInputsActive(tx, { projectId, variableIds, instrumentId }, path);
  const cause = { projectId, causeKind: 'instrument', causeId: instrumentId, actor } as const;
  return await recalculateWhole(tx, cause, variableIds, path);
}
