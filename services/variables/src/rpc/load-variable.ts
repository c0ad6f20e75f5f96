import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import { fromProjectId, visible } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import type { Variable } from '../domain/variable.js';
import { selectVariables } from '../store/variables.js';

/** What a request says of the variable that it names; empty texts say nothing. */
interface VariableScope {
  readonly instrumentId: string;
  readonly variableType: string;
}

const anywhere: VariableScope = { instrumentId: '', variableType: '' };

/** The variable that a request names, archived or not. @throws WeirError `not_found`, also when it is of another scope */
export async function loadVariable(
  db: Db,
  projectId: string,
  variableId: string,
  { instrumentId, variableType }: VariableScope = anywhere,
): Promise<Variable> {
  const found = await selectVariables.maybe(db, {
    projectId: fromProjectId(projectId),
    variableIds: isId(variableId) ? [variableId] : [],
    instrumentId: undefined,
    groupId: undefined,
    includeArchived: true,
  });
  const variable = visible(found, 'variable', true);
  const isElsewhere = instrumentId !== '' && variable.instrumentId !== instrumentId;
  if (isElsewhere || (variableType !== '' && variable.variableType !== variableType)) throw notFound('variable');
  return variable;
}
