import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { greatestId, idTimeUs, isId, leastIdAt } from '@weir/kit/ids';
import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type { Recalculation as RecalculationMessage, VariablesServiceImplementation } from '@weir/proto/variables';
import type { Recalculation } from '../domain/recalculation.js';
import { selectRecalculation, selectRecalculations, selectRecalculationsInState } from '../store/recalculations.js';

type Methods = Pick<VariablesServiceImplementation, 'getRecalculation' | 'listRecalculations'>;

const limitMax = 1000;

function toRecalculationMessage(recalculation: Recalculation): RecalculationMessage {
  return { ...recalculation, createdAtUs: idTimeUs(recalculation.runId), finishedAtUs: recalculation.finishedAtUs };
}

/** The methods on batch recalculations, which are runs like others: ids tell their time and order. */
export function recalculationMethods(pool: Pool): Methods {
  return {
    async getRecalculation({ projectId, runId }) {
      const key = { projectId: fromProjectId(projectId), runId };
      const found = isId(runId) ? await selectRecalculation.maybe(pool, key) : undefined;
      if (found === undefined) throw notFound('run');
      return { recalculation: toRecalculationMessage(found) };
    },

    async listRecalculations(request) {
      const { after, limit, state, createdAfterUs, createdBeforeUs } = request;
      const projectId = fromProjectId(request.projectId);
      const faults = new Faults();
      if (after !== '' && !isId(after)) faults.add('/after', 'invalid_value', 'Give the id of a run.');
      if (!(limit >= 1 && limit <= limitMax)) {
        faults.add('/limit', 'invalid_value', `Ask for 1 to ${limitMax} runs at a time.`);
      }
      faults.throwIfAny();
      const end = createdBeforeUs === undefined ? greatestId : leastIdAt(createdBeforeUs);
      const range = {
        projectId,
        least: leastIdAt(createdAfterUs ?? 0),
        before: after !== '' && after < end ? after : end,
        limit,
      };
      const recalculations =
        state === ''
          ? await selectRecalculations.all(pool, range)
          : await selectRecalculationsInState.all(pool, { ...range, state });
      return { recalculations: recalculations.map(toRecalculationMessage) };
    },
  };
}
