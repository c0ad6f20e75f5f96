import { newId } from '@weir/kit/ids';
import { parseChange, visible } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import { parentArchived } from '../domain/conflicts.js';
import { checkUpdate, decideRestore } from '../domain/lifecycle.js';
import { parseNewVariable } from '../domain/variable.js';
import { changeIngested, changesResolution, parseIngestedPatch } from '../domain/variable-patch.js';
import { updateGeneration } from '../store/catalogs.js';
import { insertVariable, updateVariable, updateVariableArchived, updateVariableRestored } from '../store/variables.js';
import type { ChangeCatalog } from './change-catalog.js';
import { chooseAlias } from './choose-alias.js';
import { requireAliasUnused, requireVariableUnread } from './dependents.js';
import { loadInstrument } from './instruments.js';
import { loadVariable } from './load-variable.js';
import { toVariableMessage } from './messages.js';
import type { VariablesMethods } from './methods.js';
import { restoreCalculations } from './restore-calculations.js';
import { toWholeVariable } from './variable-messages.js';

type Methods = Pick<
  VariablesMethods,
  'createIngestedVariable' | 'updateIngestedVariable' | 'getVariable' | 'archiveVariable' | 'restoreVariable'
>;

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
        await insertVariable.run(tx, { ...fields, ...key, instrumentId, alias, variableType: 'ingested' });
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
        await requireAliasUnused(tx, found, changed.alias);
        await updateVariable.run(tx, { ...changed, variableId, changesCalculations: false, actor });
        if (changesResolution(found, changed)) await updateGeneration.run(tx, { projectId });
        return await loadVariable(tx, projectId, variableId);
      });
      return { variable: toVariableMessage(variable) };
    },

    async getVariable(request) {
      const { projectId, variableId, includeArchived } = request;
      const found = await loadVariable(pool, projectId, variableId, request);
      return { variable: await toWholeVariable(pool, visible(found, 'variable', includeArchived)) };
    },

    async archiveVariable(request) {
      const { projectId, variableId } = request;
      const actor = parseChange(request);
      return await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId, request);
        if (found.isArchivedItself) return { variable: await toWholeVariable(tx, found) };
        await requireVariableUnread(tx, found);
        await updateVariableArchived.run(tx, { record: found, actor });
        await updateGeneration.run(tx, { projectId });
        return { variable: await toWholeVariable(tx, await loadVariable(tx, projectId, variableId)) };
      });
    },

    async restoreVariable(request) {
      const { projectId, variableId } = request;
      const actor = parseChange(request);
      return await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId, request);
        const isRestored = decideRestore(found, 'path/variable_id', 'instrument');
        if (isRestored) {
          await updateVariableRestored.run(tx, { record: found, actor });
          await updateGeneration.run(tx, { projectId });
        }
        const recalculationBatchRunId =
          found.variableType === 'calculated' ? await restoreCalculations(tx, found, actor, isRestored) : '';
        const variable = isRestored ? await loadVariable(tx, projectId, variableId) : found;
        return { variable: await toWholeVariable(tx, variable), recalculationBatchRunId };
      });
    },
  };
}
