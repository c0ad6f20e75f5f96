import { isId, newId } from '@weir/kit/ids';
import type { Db, Pool, Transaction } from '@weir/kit/sql';
import type { VariablesServiceImplementation } from '@weir/proto/variables';
import { aliasDeriver } from '../domain/alias.js';
import { parentArchived } from '../domain/conflicts.js';
import { decideRestore, parseChange } from '../domain/lifecycle.js';
import { type NewVariable, parseNewVariable, parseVariableIds, type Variable } from '../domain/variable.js';
import { updateGeneration } from '../store/catalogs.js';
import {
  insertVariable,
  selectActiveAliases,
  selectVariables,
  updateVariableArchived,
  updateVariableRestored,
} from '../store/variables.js';
import type { ChangeCatalog } from './change-catalog.js';
import { loadInstrument } from './instruments.js';
import { fromProjectId, toVariableMessage, visible } from './messages.js';

type Methods = Pick<
  VariablesServiceImplementation,
  'createIngestedVariable' | 'archiveVariable' | 'restoreVariable' | 'listVariables'
>;

/** The variable that a request names, archived or not. @throws WeirError `not_found` */
async function loadVariable(db: Db, projectId: string, variableId: string): Promise<Variable> {
  const variableIds = isId(variableId) ? [variableId] : [];
  const found = await selectVariables.maybe(db, {
    projectId: fromProjectId(projectId),
    variableIds,
    instrumentId: undefined,
    includeArchived: true,
  });
  return visible(found, 'variable', true);
}

async function chooseAlias(
  tx: Transaction,
  { name, alias }: NewVariable,
  projectId: string,
  instrumentId: string,
): Promise<string> {
  if (alias !== undefined) return alias;
  const taken = await selectActiveAliases.maybe(tx, { projectId, instrumentIds: [instrumentId] });
  return aliasDeriver(taken?.aliases ?? [])(name);
}

/** The methods on variables. */
export function variableMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  return {
    async createIngestedVariable(request) {
      const { projectId, instrumentId } = request;
      const fields = parseNewVariable(request);
      const key = { projectId, variableId: newId() };
      const variable = await changeCatalog(projectId, async (tx) => {
        const instrument = await loadInstrument(tx, projectId, instrumentId, true);
        if (instrument.archivedAtUs !== undefined) throw parentArchived('path/instrument_id', 'instrument');
        const alias = await chooseAlias(tx, fields, projectId, instrumentId);
        await insertVariable.run(tx, { ...fields, ...key, instrumentId, alias });
        return await loadVariable(tx, projectId, key.variableId);
      });
      return { variable: toVariableMessage(variable) };
    },

    async archiveVariable(request) {
      const { projectId, variableId } = request;
      const actor = parseChange(request);
      const variable = await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId);
        if (found.isArchivedItself) return found;
        await updateVariableArchived.run(tx, { projectId, variableId, actor });
        await updateGeneration.run(tx, { projectId });
        return await loadVariable(tx, projectId, variableId);
      });
      return { variable: toVariableMessage(variable) };
    },

    async restoreVariable(request) {
      const { projectId, variableId } = request;
      const actor = parseChange(request);
      const variable = await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId);
        if (!decideRestore(found, 'path/variable_id', 'instrument')) return found;
        await updateVariableRestored.run(tx, { projectId, variableId, actor });
        await updateGeneration.run(tx, { projectId });
        return await loadVariable(tx, projectId, variableId);
      });
      return { variable: toVariableMessage(variable) };
    },

    async listVariables(request) {
      const { projectId, instrumentId, includeArchived } = request;
      const wanted = { projectId: fromProjectId(projectId), includeArchived };
      const variableIds = parseVariableIds(request.variableIds);
      if (instrumentId !== '') await loadInstrument(pool, projectId, instrumentId, includeArchived);
      const isOfInstrument = instrumentId !== '' && request.variableIds.length === 0;
      const found = await selectVariables.all(pool, {
        ...wanted,
        variableIds,
        instrumentId: isOfInstrument ? instrumentId : undefined,
      });
      const variables = instrumentId === '' ? found : found.filter((v) => v.instrumentId === instrumentId);
      return { variables: variables.map(toVariableMessage) };
    },
  };
}
