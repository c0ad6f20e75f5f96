import { newId } from '@weir/kit/ids';
import type { RpcClient } from '@weir/kit/rpc';
import { type RunErrorCode, runErrorCodes } from '@weir/kit/run-codes';
import { runStateNumbers } from '@weir/kit/run-states';
import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { Points } from '@weir/points';
import type {
  DeepPartial,
  IngestionServiceDefinition,
  BatchOutcome as OutcomeMessage,
  QueuedBatch,
} from '@weir/proto/ingestion';
import { askedChannels } from '../domain/channels-in-range.js';
import { type BatchOutcome, toOutcomes } from '../domain/outcomes.js';
import type { Resolution } from '../domain/resolution.js';
import { type BatchToSettle, type Settlement, settle } from '../domain/settle.js';
import { splitOutcomes } from '../domain/split-outcomes.js';
import { toVariableIds } from '../domain/variable-ids.js';
import type { ProcessorEvents } from '../events.js';
import type { StoredBatches } from '../store/changes.js';
import { recallStored, type StoredNames } from './recall-stored.js';
import type { NameResolver } from './resolve-names.js';
import type { SeriesMemory } from './series-memory.js';
import { type Written, writeRows } from './write-rows.js';

/** What processing works with. */
export interface Processing {
  readonly pool: Pool;
  readonly names: NameResolver;
  readonly ingestion: RpcClient<IngestionServiceDefinition>;
  readonly memory: SeriesMemory;
  /** What was told since points were stored last, by the ids of `StoredBatches`. */
  readonly told: Set<string>;
  readonly events: ProcessorEvents;
  /** Computes what points have marked; resolves when that is begun. Never rejects: the marks are kept, and tried again. */
  readonly computeLive: () => Promise<void>;
  /** Tells that there are points: what is done in the background makes way for them. */
  readonly pointsCame: () => void;
  readonly futureToleranceUs: number;
  readonly attemptsMax: number;
}

/** A batch whose body was read. */
export interface ReadBatch {
  readonly queued: QueuedBatch;
  readonly points: Points;
}

/**
 * So many runs and variables that deviate are told in one call: some ten megabytes as messages, most of them sentences,
 * far below what a message may have and a heap bears.
 */
const deviationsMax = 50_000;

/** An error of a run with the sentence that people read. */
export function toRunError(code: RunErrorCode): { readonly code: string; readonly message: string } {
  return { code, message: runErrorCodes[code] };
}

/**
 * The greatest instant that points may have. It counts from their admission, so that a message that
 * comes twice is judged alike; runs that are queued again later are judged by the time of that.
 */
function instantMaxUs({ admittedAtUs, epoch }: QueuedBatch, futureToleranceUs: number): number {
  return (epoch > 0 ? Math.max(admittedAtUs, nowUs()) : admittedAtUs) + futureToleranceUs;
}

/** A batch, and the greatest instant that its points may have. */
type JudgedBatch = ReadBatch & Pick<BatchToSettle, 'indexes' | 'tried' | 'instantMaxUs'>;

/** What was recalled is no longer so. */
class NamesChangedError extends Error {}

/**
 * Resolves the names of all batches, one call a project as a rule.
 *
 * @param stored - what need not be resolved
 * @param mayRecall - whether what is remembered will do until `confirmed`, which rejects with NamesChangedError when it was wrong
 */
async function resolveNames(
  names: NameResolver,
  batches: readonly JudgedBatch[],
  stored: StoredNames,
  mayRecall: boolean,
) {
  const byProject = Map.groupBy(batches, ({ queued }) => queued.projectId);
  const resolved = new Map<JudgedBatch, readonly Resolution[]>();
  const checks: Promise<boolean>[] = [];
  await Promise.all(
    [...byProject].map(async ([projectId, ofProject]) => {
      const asked = ofProject.map((batch) => ({
        ...batch.queued,
        ...askedChannels(batch, stored.get(batch.queued.publicId)),
      }));
      const recalled = mayRecall ? names.recall(projectId, asked) : undefined;
      if (recalled !== undefined) checks.push(recalled.isCurrent);
      const resolutions = recalled?.resolutions ?? (await names.resolve(projectId, asked));
      ofProject.forEach((batch, i) => {
        resolved.set(batch, asked[i]?.ofAll(resolutions[i] ?? []) ?? []);
      });
    }),
  );
  const confirmed = Promise.all(checks).then((areCurrent) => {
    if (areCurrent.includes(false)) throw new NamesChangedError('the catalog has changed');
  });
  // whoever fails before it does not wait for it
  confirmed.catch(() => undefined);
  return { resolved, confirmed };
}

function toOutcomeMessage({ batch, deviations }: BatchOutcome): DeepPartial<OutcomeMessage> {
  const { id, publicId, epoch, variableIds } = batch;
  return {
    id,
    publicId,
    indexes: [...batch.indexes],
    variableIds,
    epoch,
    deviations: deviations.map(({ index, state, code, variables }) => ({
      index,
      state: runStateNumbers[state],
      error: code === undefined ? undefined : toRunError(code),
      variables: variables.map(({ position, outcome, code: reason }) => ({
        position,
        outcome,
        error: reason === undefined ? undefined : toRunError(reason),
      })),
    })),
  };
}

/** What is kept of batches with their rows, and what of others no longer. */
function toStored(batches: readonly BatchToSettle[], told: readonly string[]): StoredBatches {
  // a message of the release before does not say which batches it has
  const named = batches.filter(({ publicId }) => publicId !== '');
  return {
    id: newId(),
    publicIds: named.map(({ publicId }) => publicId),
    epochs: named.some(({ epoch }) => epoch > 0) ? named.map(({ epoch }) => epoch) : [],
    variableIds: named.map(({ variableIds }) => variableIds),
    told,
  };
}

/**
 * Writes the rows of a settlement, if there are any, and takes what was told along to be forgotten. It is told again where that
 * comes to nothing; no two transactions have the same, or they would wait for each other.
 */
async function write(
  { pool, memory, told }: Processing,
  { batches, rows }: Settlement,
  { mayBeStored, permit }: { readonly mayBeStored: boolean; readonly permit: () => Promise<void> },
): Promise<Written & { readonly storedId?: string }> {
  if (rows.count === 0) return { superseded: [], isMarked: false };
  const taken = [...told];
  told.clear();
  const stored = toStored(batches, taken);
  const projectIds = [...new Set(batches.map(({ projectId }) => projectId))];
  const writing = { pool, memory, projectIds, mayBeStored, permit, batches: stored };
  try {
    return { ...(await writeRows(writing, rows)), storedId: stored.id };
  } catch (error) {
    for (const id of taken) told.add(id);
    throw error;
  }
}

/** Resolves the names of batches, decides what becomes of each value, and stores it. */
async function store(
  processing: Processing,
  batches: readonly ReadBatch[],
  { mayBeStored, mayRecall }: { readonly mayBeStored: boolean; readonly mayRecall: boolean },
) {
  const { pool, names, memory, futureToleranceUs } = processing;
  const judged = batches.map((batch): JudgedBatch => {
    const { indexes, tried: values } = batch.queued;
    const tried = new Map(values.map(({ index, positions }) => [index, new Set(positions)]));
    return { ...batch, indexes, tried, instantMaxUs: instantMaxUs(batch.queued, futureToleranceUs) };
  });
  const known: StoredNames = mayBeStored ? await recallStored(processing, batches) : new Map();
  const { resolved, confirmed } = await resolveNames(names, judged, known, mayRecall);
  const settlement = settle(
    judged.map((batch): BatchToSettle => {
      const { queued, points } = batch;
      const resolutions = resolved.get(batch) ?? [];
      return {
        id: queued.id,
        publicId: queued.publicId,
        epoch: queued.epoch,
        projectId: queued.projectId,
        points,
        indexes: queued.indexes,
        tried: batch.tried,
        resolutions,
        variableIds: toVariableIds(resolutions),
        instantMaxUs: batch.instantMaxUs,
      };
    }),
  );
  await memory.ensure(pool, settlement.series);
  const written = await write(processing, settlement, { mayBeStored, permit: () => confirmed });
  // where no value is stored, nothing has asked
  await confirmed;
  return { settlement, ...written };
}

/**
 * Processes batches together: stores them, and then tells the ingestion service what became of them, in one call unless
 * very many fail. Meanwhile what is calculated from them follows. Every step may be repeated.
 *
 * @param mayBeStored - the batches were delivered before
 */
export async function processRuns(
  processing: Processing,
  batches: readonly ReadBatch[],
  mayBeStored: boolean,
): Promise<void> {
  const { ingestion, told, events, computeLive, pointsCame } = processing;
  const startedMs = performance.now();
  pointsCame();
  const done = await store(processing, batches, { mayBeStored, mayRecall: true }).catch((error: unknown) => {
    if (!(error instanceof NamesChangedError)) throw error;
    return store(processing, batches, { mayBeStored, mayRecall: false });
  });
  const { settlement, storedId, superseded, isMarked } = done;
  const begun = isMarked ? computeLive() : undefined;
  const outcomes = toOutcomes(settlement, superseded);
  for (const portion of splitOutcomes(outcomes, deviationsMax)) {
    await ingestion.completeRuns({ batches: portion.map(toOutcomeMessage) });
  }
  if (storedId !== undefined) told.add(storedId);
  // the next messages wait for it, so that results fall behind by a merge of each worker
  await begun;
  events.processed({
    batches: batches.length,
    points: batches.reduce((sum, { points }) => sum + points.count, 0),
    rows: settlement.rows.count,
    superseded: superseded.length,
    durationMs: performance.now() - startedMs,
    admissions: batches.map(({ queued: { admittedAtUs, epoch } }) => ({ admittedAtUs, isFirst: epoch === 0 })),
  });
}
