import type { Pool, Transaction } from '@weir/kit/sql';
import type { CalculatedSeries, CalculationChange, InstantRange } from '@weir/proto/variables';
import { edgesOf } from '../domain/edges.js';
import { markLanes } from '../domain/mark-lanes.js';
import type { Ranges } from '../domain/ranges.js';
import { insertTakenChanges, replaceDefinition, selectIsComputed } from '../store/calculations.js';
import { multirange } from '../store/multiranges.js';
import { lockProject } from '../store/project-locks.js';
import { deleteEdges, insertEdges } from '../store/readers.js';
import { countTakenChange, failRecalculation } from '../store/recalculations.js';
import { insertSeries } from '../store/series.js';
import { deleteCoveredMarks, insertRunMarks, subtractFromMarks, takeUpMarks } from '../store/taken-ranges.js';
import { toDefinition } from './to-definition.js';

const lanes = { all: Object.values(markLanes), behind: [markLanes.recalculation, markLanes.putAside] };
/** All instants that a number can tell. */
const always: Ranges = {
  startsUs: Float64Array.of(Number.MIN_SAFE_INTEGER),
  endsUs: Float64Array.of(Number.MAX_SAFE_INTEGER),
};

function toRanges(ranges: readonly InstantRange[]): Ranges {
  return {
    startsUs: Float64Array.from(ranges, ({ startUs }) => startUs),
    endsUs: Float64Array.from(ranges, ({ endUs }) => endUs),
  };
}

/** How a variable is computed once a change is taken over. */
interface Installed {
  /** Whether it is computed at all. */
  readonly isComputed: boolean;
  /** Whether it never was before: then nothing of it is marked. */
  readonly isFirst: boolean;
}

/** Puts the definition in force, and the edges that lead to it, unless a newer one is. */
async function install(tx: Transaction, series: CalculatedSeries): Promise<Installed> {
  const { variableKey, isActive } = series;
  const definition = isActive ? toDefinition(series) : null;
  const replaced = await replaceDefinition.maybe(tx, { ...series, definition });
  if (replaced === undefined) return { ...(await selectIsComputed.one(tx, { variableKey })), isFirst: false };
  if (!replaced.isFirst) await deleteEdges.run(tx, { readerKey: variableKey });
  const edges = definition === null ? [] : edgesOf(definition);
  if (edges.length > 0) await insertEdges.run(tx, { readerKey: variableKey, edges });
  return { isComputed: isActive, isFirst: replaced.isFirst };
}

/** Marks what a run computes again of a variable. */
async function markForRun(tx: Transaction, change: CalculationChange, series: CalculatedSeries): Promise<void> {
  const { runId, runChanges, projectId, traceparent, requestId } = change;
  const { variableKey, configurationGeneration } = series;
  const counts = { changes: runChanges, ranges: change.ranges.length, skipped: 0 };
  const { state } = await countTakenChange.one(tx, { runId, projectId, traceparent, requestId, ...counts });
  // of a run that was cancelled before it was all here, the ranges stay marked
  const lane = state === 'failed' ? markLanes.putAside : markLanes.recalculation;
  const ranges = multirange(toRanges(change.ranges));
  await insertRunMarks.run(tx, { variableKey, lane, runId, configurationGeneration, ranges });
  if (lane === markLanes.recalculation) await takeUpMarks.run(tx, { variableKey, runId, ranges });
}

/** Gives up what is marked of a variable that is computed no more, and what a run would compute of it. */
async function skip(tx: Transaction, change: CalculationChange, series: CalculatedSeries): Promise<void> {
  const { runId, runChanges, projectId, traceparent, requestId } = change;
  await deleteCoveredMarks.run(tx, { variableKey: series.variableKey, lanes: lanes.all, ranges: multirange(always) });
  const count = change.ranges.length;
  const counts = { changes: runChanges, ranges: count, skipped: count };
  if (runId === '') return;
  await countTakenChange.one(tx, { runId, projectId, traceparent, requestId, ...counts });
}

async function takeOver(tx: Transaction, change: CalculationChange): Promise<void> {
  const { projectId, runId, cancelledRunId, series } = change;
  if (cancelledRunId !== '') {
    await failRecalculation.run(tx, { runId: cancelledRunId, projectId, errorCode: 'cancelled' });
  }
  if (series === undefined) return;
  const { isComputed, isFirst } = await install(tx, series);
  if (!isComputed) return await skip(tx, change, series);
  if (runId === '') return;
  if (!isFirst) {
    const covered = { variableKey: series.variableKey, ranges: multirange(toRanges(change.ranges)) };
    await deleteCoveredMarks.run(tx, { ...covered, lanes: lanes.behind });
    await subtractFromMarks.run(tx, covered);
  }
  await markForRun(tx, change, series);
}

/**
 * Takes over changes of one project, in their order: how its calculated variables are computed from now on, what reads
 * what, and what is to be computed again. Writers of the project wait meanwhile, and see the new readers after. Changes
 * that were taken over before do nothing.
 *
 * @returns how many were not
 */
export async function takeOverChanges(
  pool: Pool,
  projectId: string,
  changes: readonly CalculationChange[],
): Promise<number> {
  return await pool.transaction(async (tx) => {
    await lockProject.run(tx, { projectId });
    const taken = await insertTakenChanges.all(tx, { changeIds: changes.map(({ id }) => id) });
    const isNew = new Set(taken.map(({ changeId }) => changeId));
    const open = changes.filter(({ id }) => isNew.has(id));
    const series = new Map(
      open.flatMap((change) => (change.series ? [[change.series.variableKey, change.series]] : [])),
    );
    await insertSeries.run(tx, {
      variableKeys: [...series.keys()],
      projectIds: [...series.values()].map((one) => one.projectId),
      instrumentIds: [...series.values()].map((one) => one.instrumentId),
      generations: [...series.values()].map((one) => one.configurationGeneration),
    });
    for (const change of open) await takeOver(tx, change);
    return open.length;
  });
}
