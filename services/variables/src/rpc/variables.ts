import { newId } from '@weir/kit/ids';
import { parseChange, visible } from '@weir/kit/records';
import type { Pool, Transaction } from '@weir/kit/sql';
import type { VariablesServiceImplementation } from '@weir/proto/variables';
import { aliasDeriver } from '../domain/alias.js';
import { parentArchived } from '../domain/conflicts.js';
import { checkUpdate, decideRestore } from '../domain/lifecycle.js';
import { type NewVariable, parseNewVariable } from '../domain/variable.js';
import { changeIngested, changesResolution, parseIngestedPatch } from '../domain/variable-patch.js';
import { updateGeneration } from '../store/catalogs.js';
import {
  insertVariable,
  selectActiveAliases,
  updateVariable,
  updateVariableArchived,
  updateVariableRestored,
} from '../store/variables.js';
import type { ChangeCatalog } from './change-catalog.js';
import { loadInstrument } from './instruments.js';
import { loadVariable } from './load-variable.js';
import { toVariableMessage } from './messages.js';

type Methods = Pick<
  VariablesServiceImplementation,
  'createIngestedVariable' | 'updateIngestedVariable' | 'getVariable' | 'archiveVariable' | 'restoreVariable'
>;

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

    async updateIngestedVariable(request) {
      const { projectId, instrumentId, variableId, expectedRevision, hasObservations } = request;
      const actor = parseChange(request);
      const change = parseIngestedPatch(request.patch);
      const variable = await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId, { instrumentId, variableType: 'ingested' });
        checkUpdate(found, expectedRevision, 'path/variable_id', 'variable');
        const changed = changeIngested(found, change, hasObservations);
        if (changed === undefined) return found;
        await updateVariable.run(tx, { ...changed, variableId, actor });
        if (changesResolution(found, changed)) await updateGeneration.run(tx, { projectId });
        return await loadVariable(tx, projectId, variableId);
      });
      return { variable: toVariableMessage(variable) };
    },

    async getVariable(request) {
      const { projectId, variableId, includeArchived } = request;
      const found = await loadVariable(pool, projectId, variableId, request);
      return { variable: toVariableMessage(visible(found, 'variable', includeArchived)) };
    },

    async archiveVariable(request) {
      const { projectId, variableId } = request;
      const actor = parseChange(request);
      const variable = await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId, request);
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
        const found = await loadVariable(tx, projectId, variableId, request);
        if (!decideRestore(found, 'path/variable_id', 'instrument')) return found;
        await updateVariableRestored.run(tx, { projectId, variableId, actor });
        await updateGeneration.run(tx, { projectId });
        return await loadVariable(tx, projectId, variableId);
      });
      return { variable: toVariableMessage(variable) };
    },
  };
}
