import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { greatestId, idTimeUs, isId, leastIdAt } from '@weir/kit/ids';
import { parseLimit } from '@weir/kit/pages';
import { fromProjectId } from '@weir/kit/records';
import type { Db, Pool } from '@weir/kit/sql';
import { acrossProjects } from '@weir/kit/tenancy';
import type { Recalculation as RecalculationMessage } from '@weir/proto/variables';
import type { Recalculation } from '../domain/recalculation.js';
import {
  selectAllRecalculations,
  selectAllRecalculationsInState,
  selectAnyRecalculation,
  selectRecalculation,
  selectRecalculations,
  selectRecalculationsInState,
} from '../store/recalculations.js';
import type { VariablesMethods } from './methods.js';

type Methods = Pick<VariablesMethods, 'getRecalculation' | 'listRecalculations'>;

/** A recalculation as callers know it. */
export function toRecalculationMessage(recalculation: Recalculation): RecalculationMessage {
  const { runId, projectId, state, causeKind, causeId, finishedAtUs, errorCode = '', ...progress } = recalculation;
  const createdAtUs = idTimeUs(runId);
  return {
    runId,
    projectId,
    state,
    causeKind,
    causeId,
    createdAtUs,
    finishedAtUs,
    errorCode,
    progress: { ...progress, missing: { ...progress.missing } },
  };
}

/**
 * The recalculation that a request names, of any project where it names none.
 *
 * @param what - what there is none of else, for a person
 * @throws WeirError `not_found`
 */
export async function loadRecalculation(
  db: Db,
  projectId: string,
  runId: string,
  what = 'run',
): Promise<Recalculation> {
  const select = (): Promise<Recalculation | undefined> =>
    projectId === ''
      ? acrossProjects(() => selectAnyRecalculation.maybe(db, { runId }))
      : selectRecalculation.maybe(db, { projectId: fromProjectId(projectId), runId });
  const found = isId(runId) ? await select() : undefined;
  if (found === undefined) throw notFound(what);
  return found;
}

/**
 * The methods that show batch recalculations, which are runs like others: ids tell their time and order. Without a
 * project they show those of all.
 */
export function recalculationMethods(pool: Pool): Methods {
  const selectPage = async (
    project: string,
    state: string,
    range: { least: string; before: string; limit: number },
  ) => {
    if (project === '') {
      return await acrossProjects(() =>
        state === ''
          ? selectAllRecalculations.all(pool, range)
          : selectAllRecalculationsInState.all(pool, { ...range, state }),
      );
    }
    const projectId = fromProjectId(project);
    return state === ''
      ? await selectRecalculations.all(pool, { ...range, projectId })
      : await selectRecalculationsInState.all(pool, { ...range, projectId, state });
  };

  return {
    async getRecalculation({ projectId, runId }) {
      return { recalculation: toRecalculationMessage(await loadRecalculation(pool, projectId, runId)) };
    },

    async listRecalculations(request) {
      const { after, limit, state, createdAfterUs, createdBeforeUs } = request;
      const faults = new Faults();
      if (after !== '' && !isId(after)) faults.add('/after', 'invalid_value', 'Give the id of a run.');
      faults.throwIfAny();
      const end = createdBeforeUs === undefined ? greatestId : leastIdAt(createdBeforeUs);
      const range = {
        least: leastIdAt(createdAfterUs ?? 0),
        before: after !== '' && after < end ? after : end,
        limit: parseLimit(limit),
      };
      const recalculations = await selectPage(request.projectId, state, range);
      return { recalculations: recalculations.map(toRecalculationMessage) };
    },
  };
}
