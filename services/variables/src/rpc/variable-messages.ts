import type { Db } from '@weir/kit/sql';
import type { Calculation as CalculationMessage, Variable as VariableMessage } from '@weir/proto/variables';
import type { Calculation } from '../domain/calculation.js';
import type { Variable } from '../domain/variable.js';
import { selectCalculations } from '../store/calculations.js';
import { toVariableMessage } from './messages.js';

function toCalculationMessage(calculation: Calculation): CalculationMessage {
  const { editorTokens, inputs } = calculation;
  return { ...calculation, editorTokens: [...editorTokens], inputs: [...inputs] };
}

/** Messages of variables of a project with their calculations, which one statement reads. */
export async function toWholeVariables(
  db: Db,
  projectId: string,
  variables: readonly Variable[],
): Promise<VariableMessage[]> {
  const variableIds = variables.filter(({ variableType }) => variableType === 'calculated').map(({ id }) => id);
  const stored = variableIds.length === 0 ? [] : await selectCalculations.all(db, { projectId, variableIds });
  const calculations = new Map(stored.map((row) => [row.variableId, row.calculations.map(toCalculationMessage)]));
  return variables.map((variable) => toVariableMessage(variable, calculations.get(variable.id)));
}

/** The message of one variable with its calculations. */
export async function toWholeVariable(db: Db, variable: Variable): Promise<VariableMessage | undefined> {
  const [message] = await toWholeVariables(db, variable.projectId, [variable]);
  return message;
}
