import { Faults } from '@weir/kit/faults';
import { newShortId } from '@weir/kit/ids';
import type { Db, Transaction } from '@weir/kit/sql';
import { type Calculation, completeCalculations, type NewCalculation } from '../domain/calculation.js';
import { checkReferences, readIds, withoutRedundantSources } from '../domain/calculation-references.js';
import { checkExpressions } from '../domain/check-expressions.js';
import { refuseCycles } from '../domain/reading-cycles.js';
import {
  deleteCalculations,
  insertCalculationInputs,
  insertCalculations,
  selectCalculations,
} from '../store/calculations.js';
import { selectReadings } from '../store/readings.js';
import { loadReadables } from './load-readables.js';

/** The calculated variable that calculations are of. */
interface OfVariable {
  readonly projectId: string;
  readonly instrumentId: string;
  readonly variableId: string;
}

/** The calculations of one variable of the project; none of one that is ingested. */
export async function loadCalculations(db: Db, projectId: string, variableId: string): Promise<Calculation[]> {
  const found = await selectCalculations.maybe(db, { projectId, variableIds: [variableId] });
  return found?.calculations ?? [];
}

async function requireReadable(tx: Transaction, of: OfVariable, calculations: readonly NewCalculation[]) {
  const readables = await loadReadables(tx, of.projectId, calculations);
  const faults = new Faults();
  checkReferences(calculations, of.instrumentId, readables, faults);
  checkExpressions(calculations, readables, faults, of.instrumentId);
  faults.throwIfAny();
}

/**
 * Checks what new calculations read and say of it, and gives ids to what has none.
 *
 * @param stored - the calculations whose place they take
 * @param name - of the variable; undefined for one that is not there yet, which nothing can read
 * @throws WeirError `invalid_request` for what cannot be read or evaluated, `dependency_conflict` where the variable would read itself
 */
export async function decideCalculations(
  tx: Transaction,
  of: OfVariable,
  calculations: readonly NewCalculation[],
  stored: readonly Calculation[],
  name: string | undefined,
): Promise<Calculation[]> {
  const { projectId, variableId } = of;
  await requireReadable(tx, of, calculations);
  if (name !== undefined) {
    const { variableIds } = readIds(calculations);
    const readings = await selectReadings.all(tx, { projectId, variableIds, exceptId: variableId });
    refuseCycles({ id: variableId, name }, calculations, readings);
  }
  return completeCalculations(withoutRedundantSources(calculations), stored, newShortId);
}

/** Saves calculations in the place of those that the variable has. */
export async function saveCalculations(tx: Transaction, of: OfVariable, calculations: readonly Calculation[]) {
  const { projectId, variableId } = of;
  await deleteCalculations.run(tx, { projectId, variableId });
  if (calculations.length === 0) return;
  await insertCalculations.run(tx, { projectId, variableId, calculations });
  const inputs = calculations.flatMap(({ id: calculationId, inputs: read }) =>
    read.map((input, position) => ({ ...input, calculationId, position })),
  );
  if (inputs.length > 0) await insertCalculationInputs.run(tx, { projectId, variableId, inputs });
}
