import { Faults } from '@weir/kit/faults';
import { parseChange } from '@weir/kit/records';
import type { Pool, Transaction } from '@weir/kit/sql';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import type { Calculation } from '../domain/calculation.js';
import { checkExpressions } from '../domain/check-expressions.js';
import { runEnded } from '../domain/conflicts.js';
import { checkUpdate, requireCalculated } from '../domain/lifecycle.js';
import { clampInstant } from '../domain/parse-calculations.js';
import type { TimeRange } from '../domain/steps.js';
import { insertCancelledRun } from '../store/calculation-changes.js';
import { updateRecalculationCancelled } from '../store/recalculations.js';
import type { ChangeCatalog } from './change-catalog.js';
import { loadReadables } from './load-readables.js';
import { loadVariable } from './load-variable.js';
import type { VariablesMethods } from './methods.js';
import { loadRecalculation, toRecalculationMessage } from './recalculations.js';
import { loadCalculations } from './save-calculations.js';
import { startRecalculation } from './start-recalculation.js';

type Methods = Pick<VariablesMethods, 'startRecalculation' | 'cancelRecalculation'>;

interface AskedRange {
  readonly startUs?: number | undefined;
  readonly endUs?: number | undefined;
}

/** The range that is asked for, within the time of observations. @throws WeirError `invalid_request` */
function parseRange({ startUs, endUs }: AskedRange): TimeRange {
  const faults = new Faults();
  if (startUs !== undefined && endUs !== undefined && startUs >= endUs) {
    faults.add('/end', 'out_of_range', 'Give an end after the start.');
  }
  faults.throwIfAny();
  return {
    startUs: clampInstant(startUs ?? observationInstantMinUs),
    endUs: clampInstant(endUs ?? observationInstantEndUs),
  };
}

/** Refuses to compute what cannot be, as it was saved before expressions were checked. @throws WeirError `invalid_request` */
async function requireEvaluable(tx: Transaction, projectId: string, calculations: readonly Calculation[]) {
  const faults = new Faults();
  checkExpressions(calculations, await loadReadables(tx, projectId, calculations), faults);
  faults.throwIfAny();
}

/** The methods by which an operator begins and ends recalculations. */
export function operatorRecalculationMethods(pool: Pool, changeCatalog: ChangeCatalog): Methods {
  return {
    async startRecalculation(request) {
      const { projectId, variableId } = request;
      const actor = parseChange(request);
      const asked = parseRange(request);
      const recalculation = await changeCatalog(projectId, async (tx) => {
        const variable = await loadVariable(tx, projectId, variableId);
        requireCalculated(variable, 'path/variable_id');
        checkUpdate(variable, undefined, 'path/variable_id', 'variable');
        const calculations = await loadCalculations(tx, projectId, variableId);
        await requireEvaluable(tx, projectId, calculations);
        // before its first calculation it has no values
        const startUs = Math.max(asked.startUs, calculations[0]?.startTimeUs ?? observationInstantEndUs);
        const ranges = startUs < asked.endUs ? [{ startUs, endUs: asked.endUs }] : [];
        const cause = { projectId, causeKind: 'operator', causeId: variableId, actor } as const;
        const runId = await startRecalculation(tx, cause, [{ variableId, ranges }]);
        return await loadRecalculation(tx, projectId, runId);
      });
      return { recalculation: toRecalculationMessage(recalculation) };
    },

    async cancelRecalculation(request) {
      const actor = parseChange(request);
      // points and files have runs as well
      const what = 'recalculation, and no other run can be cancelled';
      const { projectId, runId } = await loadRecalculation(pool, request.projectId, request.runId, what);
      const key = { projectId, runId };
      const recalculation = await changeCatalog(projectId, async (tx) => {
        const isCancelled = (await updateRecalculationCancelled.run(tx, { ...key, actor })) > 0;
        const found = await loadRecalculation(tx, projectId, runId);
        if (!isCancelled) throw runEnded(found.state);
        await insertCancelledRun.run(tx, key);
        return found;
      });
      return { recalculation: toRecalculationMessage(recalculation) };
    },
  };
}
