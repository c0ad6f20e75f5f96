import { newId } from '@weir/kit/ids';
import { applyChange } from '@weir/kit/patches';
import { type Actor, parseChange } from '@weir/kit/records';
import type { Transaction } from '@weir/kit/sql';
import { parseCalculatedPatch, parseNewCalculated } from '../domain/calculated-variable.js';
import { isSame } from '../domain/calculation.js';
import { parentArchived } from '../domain/conflicts.js';
import { dirtyByComputation, noComputation } from '../domain/dirty.js';
import { checkUpdate } from '../domain/lifecycle.js';
import type { DirtyVariable } from '../domain/recalculation.js';
import { changesResolution } from '../domain/variable-patch.js';
import { updateGeneration } from '../store/catalogs.js';
import { insertVariable, updateVariable } from '../store/variables.js';
import type { ChangeCatalog } from './change-catalog.js';
import { chooseAlias } from './choose-alias.js';
import { requireAliasUnused } from './dependents.js';
import { loadInstrument } from './instruments.js';
import { loadVariable } from './load-variable.js';
import type { VariablesMethods } from './methods.js';
import { decideCalculations, loadCalculations, saveCalculations } from './save-calculations.js';
import { startRecalculation } from './start-recalculation.js';
import { toWholeVariable } from './variable-messages.js';

type Methods = Pick<VariablesMethods, 'createCalculatedVariable' | 'updateCalculatedVariable'>;

interface VariableKey {
  readonly projectId: string;
  readonly variableId: string;
}

/** Ends a change: starts the recalculation and answers the variable as it is now. */
async function answer(
  tx: Transaction,
  { projectId, variableId }: VariableKey,
  actor: Actor,
  dirty: DirtyVariable | undefined,
) {
  const cause = { projectId, causeKind: 'calculated_variable', causeId: variableId, actor } as const;
  const recalculationBatchRunId = await startRecalculation(tx, cause, dirty === undefined ? [] : [dirty]);
  const variable = await loadVariable(tx, projectId, variableId);
  return { variable: await toWholeVariable(tx, variable), recalculationBatchRunId };
}

/** The methods on calculated variables that ingested ones have not. Each tells the recalculation that it starts. */
export function calculatedVariableMethods(changeCatalog: ChangeCatalog): Methods {
  return {
    async createCalculatedVariable(request) {
      const { projectId, instrumentId } = request;
      const fields = parseNewCalculated(request);
      const key = { projectId, instrumentId, variableId: newId() };
      return await changeCatalog(projectId, async (tx) => {
        const instrument = await loadInstrument(tx, projectId, instrumentId, true);
        if (instrument.archivedAtUs !== undefined) throw parentArchived('path/instrument_id', 'instrument');
        const calculations = await decideCalculations(tx, key, fields.calculations, [], undefined);
        const alias = await chooseAlias(tx, fields, projectId, instrumentId);
        await insertVariable.run(tx, { ...fields, ...key, alias, variableType: 'calculated' });
        await saveCalculations(tx, key, calculations);
        const after = { valueType: fields.valueType, calculations };
        return await answer(tx, key, fields.actor, dirtyByComputation(key.variableId, noComputation, after));
      });
    },

    async updateCalculatedVariable(request) {
      const { projectId, instrumentId, variableId, expectedRevision } = request;
      const actor = parseChange(request);
      const change = parseCalculatedPatch(request.patch);
      return await changeCatalog(projectId, async (tx) => {
        const found = await loadVariable(tx, projectId, variableId, { instrumentId, variableType: 'calculated' });
        checkUpdate(found, expectedRevision, 'path/variable_id', 'variable');
        const key = { projectId, instrumentId: found.instrumentId, variableId };
        const stored = await loadCalculations(tx, projectId, variableId);
        const changed = applyChange(found, change.members) ?? found;
        const calculations =
          change.calculations === undefined
            ? stored
            : await decideCalculations(tx, key, change.calculations, stored, changed.name);
        const areSame = isSame(calculations, stored);
        if (changed === found && areSame) return await answer(tx, key, actor, undefined);

        await requireAliasUnused(tx, found, changed.alias);
        await updateVariable.run(tx, { ...changed, variableId, changesCalculations: !areSame, actor });
        if (!areSame) await saveCalculations(tx, key, calculations);
        if (changesResolution(found, changed)) await updateGeneration.run(tx, { projectId });
        const before = { valueType: found.valueType, calculations: stored };
        const after = { valueType: changed.valueType, calculations };
        return await answer(tx, key, actor, dirtyByComputation(variableId, before, after));
      });
    },
  };
}
