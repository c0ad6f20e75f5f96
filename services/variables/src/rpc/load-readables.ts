import { isId } from '@weir/kit/ids';
import type { Transaction } from '@weir/kit/sql';
import type { NewCalculation } from '../domain/calculation.js';
import { type Readables, readIds } from '../domain/calculation-references.js';
import { selectReadables } from '../store/readings.js';

/** What the project has of what calculations read. */
export async function loadReadables(
  tx: Transaction,
  projectId: string,
  calculations: readonly NewCalculation[],
): Promise<Readables> {
  const { variableIds, constantIds } = readIds(calculations);
  const read = await selectReadables.all(tx, {
    projectId,
    variableIds: variableIds.filter(isId),
    constantIds: constantIds.filter(isId),
  });
  const byId = (kind: string) => new Map(read.filter((found) => found.kind === kind).map((found) => [found.id, found]));
  return { variables: byId('variable'), constants: byId('constant') };
}
