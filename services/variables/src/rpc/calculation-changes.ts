import { parseLimit } from '@weir/kit/pages';
import type { Pool } from '@weir/kit/sql';
import { acrossProjects } from '@weir/kit/tenancy';
import type { CalculatedSeries, CalculationChange } from '@weir/proto/variables';
import {
  deleteCalculationChanges,
  selectCalculatedSeries,
  selectCalculationChanges,
} from '../store/calculation-changes.js';
import type { VariablesMethods } from './methods.js';

type Methods = Pick<VariablesMethods, 'listCalculationChanges' | 'acknowledgeCalculationChanges'>;

/** So heavy may a page be, in about bytes, unless one change alone is heavier. */
const weightMax = 2 * 1024 * 1024;

type StoredSeries = Awaited<ReturnType<typeof selectCalculatedSeries.all>>[number];
type StoredChange = Awaited<ReturnType<typeof selectCalculationChanges.all>>[number];

function toSeriesMessage({ pieces, ...members }: StoredSeries): CalculatedSeries {
  return {
    ...members,
    pieces: pieces.map(({ inputs, ...piece }) => ({
      ...piece,
      inputs: inputs.map(({ variableKey = 0, isCalculated = false, steps = [], ...input }) => ({
        ...input,
        variableKey,
        isCalculated,
        pastBufferSeconds: input.pastBufferSeconds,
        steps,
      })),
    })),
  };
}

function toChangeMessage(change: StoredChange, series: CalculatedSeries | undefined): CalculationChange {
  return {
    id: change.id,
    projectId: change.projectId,
    cancelledRunId: change.cancelledRunId ?? '',
    series,
    runId: change.runId ?? '',
    runChanges: change.runChanges,
    traceparent: change.traceparent,
    requestId: change.requestId,
    ranges: change.ranges.map(([startUs, endUs]) => ({ startUs, endUs })),
  };
}

/**
 * The methods by which processors take over what is to be calculated. The changes of a page are read before
 * the definitions, which are of one moment: so a definition holds its change at least.
 */
export function calculationChangeMethods(pool: Pool): Methods {
  return {
    async listCalculationChanges({ after, limit }) {
      const page = { after, limit: parseLimit(limit), weightMax };
      const changes = await acrossProjects(() => selectCalculationChanges.all(pool, page));
      const variableIds = new Set(changes.flatMap(({ variableId }) => variableId ?? []));
      const stored =
        variableIds.size === 0
          ? []
          : await acrossProjects(() => selectCalculatedSeries.all(pool, { variableIds: [...variableIds] }));
      const seriesOf = new Map(stored.map((series) => [series.variableId, toSeriesMessage(series)]));
      return { changes: changes.map((change) => toChangeMessage(change, seriesOf.get(change.variableId ?? ''))) };
    },

    async acknowledgeCalculationChanges({ ids }) {
      if (ids.length > 0) await acrossProjects(() => deleteCalculationChanges.run(pool, { ids }));
      return {};
    },
  };
}
