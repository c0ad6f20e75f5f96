import { runId } from '@weir/kit/ids';
import type { Pool, Transaction } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import { type Points, unpackPoints } from '@weir/points';
import type { CompleteRunsRequest, CompleteRunsResponse } from '@weir/proto/ingestion';
import { type BatchName, batchOf, toNameColumns } from '../domain/batch-name.js';
import { type Deviation, type RunError, type RunState, storedMessage } from '../domain/run.js';
import { type OpenBatch, type Outcome, queuedIndexes, settleBatch } from '../domain/settle-batch.js';
import { toTried, triedPositions } from '../domain/tried-values.js';
import { variableIdsAt } from '../domain/variable-outcomes.js';
import type { CompletedRuns, Events } from '../events.js';
import { selectBodies } from '../store/batches.js';
import { finishFreshBatches, lockBatches, selectResults, upsertResults } from '../store/completion.js';
import { selectDeviationsOf, toStoredVariables, upsertDeviations } from '../store/deviations.js';
import { lockQueued, updateQueued } from '../store/queue.js';
import { fromOutcomes } from './outcomes.js';

function toStored(error: RunError | undefined): { readonly code: string | null; readonly message: string | null } {
  return { code: error?.code ?? null, message: storedMessage(error) };
}

/** How many runs became what. */
function countStates(runs: readonly { readonly state: RunState }[]): CompletedRuns {
  const counts = { succeeded: 0, partially_succeeded: 0, failed: 0 };
  for (const { state } of runs) if (state !== 'queued') counts[state]++;
  return counts;
}

/** Finishes whole batches whose runs are all queued for the first time; answers how many runs, and which outcomes it leaves. */
async function finishFresh(
  pool: Pool,
  outcomes: readonly Outcome[],
): Promise<{ readonly isDone: (name: BatchName) => boolean; readonly runs: CompletedRuns }> {
  const starts: number[] = [];
  let start = 1;
  for (const { variableIds } of outcomes) {
    starts.push(start);
    start += variableIds.length;
  }
  const deviations = outcomes.flatMap(({ batchId, deviations: own }) => own.map((one) => ({ batchId, ...one })));
  const errors = deviations.map(({ error }) => toStored(error));
  const rows = await finishFreshBatches.all(pool, {
    names: toNameColumns(outcomes),
    variableIds: Buffer.concat(outcomes.map(({ variableIds }) => variableIds)),
    variableIdStarts: starts,
    variableIdLengths: outcomes.map(({ variableIds }) => variableIds.length),
    deviations: {
      batchIds: deviations.map(({ batchId }) => batchId),
      indexes: deviations.map(({ index }) => index),
      states: deviations.map(({ state }) => state),
      codes: errors.map(({ code }) => code),
      messages: errors.map(({ message }) => message),
      variables: deviations.map(({ variables }) => toStoredVariables({ variables })),
    },
    nowUs: nowUs(),
  });
  const finished = new Map(rows.map((row) => [row.batchId, row]));
  const runs = countStates(deviations.filter(({ batchId }) => finished.has(batchId)));
  const all = rows.reduce((sum, { runCount }) => sum + runCount, 0);
  // what does not deviate has succeeded; so has what deviates in that some of it was superseded
  runs.succeeded = all - runs.partially_succeeded - runs.failed;
  return { isDone: (name) => batchOf(name, finished) !== undefined, runs };
}

/** Runs that were settled with variables of their own: those of their batch are where the values of other runs are. */
interface Renamed {
  readonly batchId: number;
  readonly open: OpenBatch;
  readonly indexes: readonly number[];
  readonly variableIds: Buffer;
  /** Those of the batch. */
  readonly ofBatch: Buffer | undefined;
  /** By index, what the runs were before. */
  readonly before: ReadonlyMap<number, Deviation>;
}

/** Notes with runs which variables they have, where those of their batch are others. */
async function noteRenamed(tx: Transaction, renamed: readonly Renamed[]): Promise<void> {
  if (renamed.length === 0) return;
  const rows = await selectBodies.all(tx, { ids: [...new Set(renamed.map(({ batchId }) => batchId))] });
  const points = new Map(rows.map(({ id, body }) => [id, unpackPoints(body)]));
  for (const { batchId, open, indexes, variableIds, ofBatch, before } of renamed) {
    const body = points.get(batchId) as Points;
    for (const index of indexes) {
      const shared = variableIdsAt(body, index, ofBatch);
      const was = before.get(index);
      const tried = was === undefined ? [] : triedPositions(was);
      // what was not tried is where it was
      const own = variableIdsAt(body, index, variableIds).map((id, position) =>
        tried.length === 0 || tried.includes(position) ? id : (was?.variableIds?.[position] ?? shared[position] ?? id),
      );
      const { variableIds: _, ...deviation } = open.deviations.get(index) as Deviation;
      open.deviations.set(index, deviation);
      if (shared.every((id, position) => id === own[position])) continue;
      open.deviations.set(index, { ...deviation, variableIds: own });
    }
  }
}

/** Settles the queued runs of batches that were begun to finish before; answers how many runs became what. */
async function settle(tx: Transaction, events: Events, outcomes: readonly Outcome[]): Promise<CompletedRuns> {
  const at = nowUs();
  const batches = await lockBatches.all(tx, { ids: outcomes.map(({ batchId }) => batchId) });
  const batchIds = batches.map(({ id }) => id);
  const known = new Map(batches.map((batch) => [batch.id, batch]));
  const isKnown = (outcome: Outcome): boolean => batchOf(outcome, known) !== undefined;
  const unknown = outcomes.filter((outcome) => !isKnown(outcome));
  events.unknown([...new Set(unknown.map(({ batchId }) => batchId))]);
  const outcomesOf = Map.groupBy(outcomes.filter(isKnown), ({ batchId }) => batchId);
  const places = new Map((await lockQueued.all(tx, { batchIds })).map((place) => [place.batchId, place]));
  const results = new Map((await selectResults.all(tx, { batchIds })).map((result) => [result.batchId, result]));
  const queued = batches.filter(({ id }) => places.has(id) && outcomesOf.has(id));
  const deviations = await selectDeviationsOf(
    tx,
    '',
    queued.map(({ publicId }) => publicId),
  );
  const renamed: Renamed[] = [];
  const settled = queued.map((batch) => {
    const place = places.get(batch.id);
    const result = results.get(batch.id);
    const open: OpenBatch = {
      runCount: batch.runCount,
      isFinished: result?.finishedAtUs !== undefined,
      queueAttempts: place?.attempts ?? 0,
      deviations: deviations.get(batch.publicId) ?? new Map<number, Deviation>(),
    };
    let variableIds = result?.variableIds;
    const changed = new Set<number>();
    for (const outcome of outcomesOf.get(batch.id) ?? []) {
      const isFirst = !open.isFinished && (variableIds ?? []).length === 0;
      const before = new Map(open.deviations);
      const indexes = settleBatch(open, outcome, at);
      const isWhole = indexes.length === batch.runCount && toTried(indexes, before).length === 0;
      // those of the batch are where its final runs have their values: they stay, unless all runs are settled again
      if (indexes.length > 0 && outcome.variableIds.length > 0) {
        if (isFirst || isWhole) variableIds = outcome.variableIds;
        else if (variableIds?.equals(outcome.variableIds) !== true)
          renamed.push({
            batchId: batch.id,
            open,
            indexes,
            variableIds: outcome.variableIds,
            ofBatch: variableIds,
            before,
          });
      }
      for (const index of indexes) changed.add(index);
    }
    const epoch = Math.max(result?.epoch ?? 0, place?.epoch ?? 0);
    return { batch, open, epoch, changed, queuedCount: queuedIndexes(open).length, variableIds };
  });
  if (settled.length === 0) return countStates([]);
  await noteRenamed(tx, renamed);
  const rows = settled.flatMap(({ batch, open, changed }) =>
    [...changed].map((index) => ({ batch, index, deviation: open.deviations.get(index) as Deviation })),
  );
  const errors = rows.map(({ deviation }) => toStored(deviation.error));
  await upsertDeviations.run(tx, {
    runIds: rows.map(({ batch, index }) => runId(batch.publicId, index)),
    batchIds: rows.map(({ batch }) => batch.id),
    states: rows.map(({ deviation }) => deviation.state),
    attempts: rows.map(({ deviation }) => deviation.attempts),
    finishedAtUs: rows.map(({ deviation }) => deviation.finishedAtUs),
    codes: errors.map(({ code }) => code),
    messages: errors.map(({ message }) => message),
    variables: rows.map(({ deviation }) => toStoredVariables(deviation)),
  });
  await upsertResults.run(tx, {
    batchIds: settled.map(({ batch }) => batch.id),
    areFinished: settled.map(({ open }) => open.isFinished),
    attempts: settled.map(({ open }) => Math.max(open.queueAttempts, 1)),
    epochs: settled.map(({ epoch }) => epoch),
    variableIds: settled.map(({ variableIds }) => variableIds ?? Buffer.alloc(0)),
    nowUs: at,
  });
  await updateQueued.run(tx, {
    batchIds: settled.map(({ batch }) => batch.id),
    runCounts: settled.map(({ queuedCount }) => queuedCount),
  });
  return countStates(rows.map(({ deviation }) => deviation));
}

/** Makes the outcome of batches durable: queued runs become final, and a final run stays as it is. */
export async function completeRuns(
  pool: Pool,
  events: Events,
  { batches }: CompleteRunsRequest,
): Promise<CompleteRunsResponse> {
  const outcomes = fromOutcomes(batches);
  // nearly always every run of the batch, for the first time: one statement for all of them
  const whole = new Map<number, Outcome>();
  for (const outcome of outcomes) {
    if (outcome.indexes.length === 0 && !whole.has(outcome.batchId)) whole.set(outcome.batchId, outcome);
  }
  const { isDone, runs } =
    whole.size === 0 ? { isDone: () => false, runs: countStates([]) } : await finishFresh(pool, [...whole.values()]);
  // now: they are final, whatever becomes of the others
  events.completed(runs);
  const others = outcomes.filter((outcome) => !isDone(outcome));
  if (others.length > 0) events.completed(await pool.transaction((tx) => settle(tx, events, others)));
  return {};
}
