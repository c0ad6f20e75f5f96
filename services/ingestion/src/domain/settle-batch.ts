import type { BatchName } from './batch-name.js';
import type { Deviation, RunError, RunState, VariableDeviation } from './run.js';
import { mergeEnd } from './tried-values.js';

/** How a run ended that did not store all of its values. */
export interface OutcomeDeviation {
  readonly index: number;
  readonly state: Exclude<RunState, 'queued'>;
  readonly error?: RunError | undefined;
  readonly variables: readonly VariableDeviation[];
}

/** What a processor did with a batch. */
export interface Outcome extends BatchName {
  /** Empty: all runs. */
  readonly indexes: readonly number[];
  readonly variableIds: Buffer;
  readonly deviations: readonly OutcomeDeviation[];
  /** Of the message that was processed; undefined settles whatever is queued. */
  readonly epoch: number | undefined;
}

/** A batch with queued runs, as outcomes change it. */
export interface OpenBatch {
  readonly runCount: number;
  /** Whether the runs without a deviation are queued still. */
  isFinished: boolean;
  /** How often it was begun since it was queued. */
  readonly queueAttempts: number;
  /** By index. */
  readonly deviations: Map<number, Deviation>;
}

function stateAt(batch: OpenBatch, index: number): RunState {
  return batch.deviations.get(index)?.state ?? (batch.isFinished ? 'succeeded' : 'queued');
}

/** The indexes of the runs that are queued. */
export function queuedIndexes(batch: OpenBatch): number[] {
  if (batch.isFinished) {
    const queued = [...batch.deviations].filter(([, deviation]) => deviation.state === 'queued');
    return queued.map(([index]) => index).sort((a, b) => a - b);
  }
  return Array.from(Array(batch.runCount).keys()).filter((index) => stateAt(batch, index) === 'queued');
}

/**
 * Applies an outcome to a batch: queued runs become what it says, and a final run stays as it is.
 *
 * @returns the indexes whose deviation is new or changed
 */
export function settleBatch(batch: OpenBatch, outcome: Outcome, nowUs: number): number[] {
  const asked = outcome.indexes.length === 0 ? Array.from(Array(batch.runCount).keys()) : outcome.indexes;
  const attempts = Math.max(batch.queueAttempts, 1);
  const ends = new Map(outcome.deviations.map((deviation) => [deviation.index, deviation]));
  const changed: number[] = [];
  for (const index of asked) {
    if (index >= batch.runCount || stateAt(batch, index) !== 'queued') continue;
    const before = batch.deviations.get(index);
    const queuedEpoch = before?.queuedEpoch ?? 0;
    if (outcome.epoch !== undefined && outcome.epoch < queuedEpoch) continue;
    const end = mergeEnd(before, ends.get(index) ?? { state: 'succeeded', variables: [] });
    batch.deviations.set(index, {
      state: end.state,
      attempts: (before?.attempts ?? 0) + attempts,
      queuedEpoch,
      finishedAtUs: nowUs,
      error: end.error,
      variables: end.variables,
      ...(before?.variableIds !== undefined && { variableIds: before.variableIds }),
    });
    changed.push(index);
  }
  if (!batch.isFinished && queuedIndexes(batch).length === 0) batch.isFinished = true;
  return changed;
}
