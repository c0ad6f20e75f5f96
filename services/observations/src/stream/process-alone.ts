import { WeirError } from '@weir/kit/errors';
import { batchRunsMax } from '@weir/kit/ids';
import { PackedPointsError, packedCount, unpackPoints } from '@weir/points';
import { type QueuedBatch, RunState } from '@weir/proto/ingestion';
import { requireSchema } from '../store/schema.js';
import type { DeliveredBatch, Delivery } from './delivery.js';
import { leaveQueued, toNames } from './leave-queued.js';
import { type Processing, processRuns, type ReadBatch, toRunError } from './process-runs.js';

/** Whether something that is needed did not answer, which is no fault of what was processed. */
export function isUnavailable(error: unknown): boolean {
  return error instanceof WeirError && error.code === 'dependency_unavailable';
}

/** Rejects with `dependency_unavailable` while something that processing needs does not answer. */
export async function checkDependencies(
  { pool, names, ingestion }: Processing,
  { projectId, provisioning, connectionId }: QueuedBatch,
): Promise<void> {
  await requireSchema(pool);
  await names.resolve(projectId, [{ provisioning, connectionId, channels: [] }]);
  await ingestion.beginAttempts({ batchIds: [] });
}

/** Ends the queued runs of a batch as failed. Those that are final already stay as they are. */
async function giveUp(
  { ingestion, events }: Processing,
  { id, publicId, indexes, epoch, body }: QueuedBatch,
  reason: string,
): Promise<void> {
  // a count that cannot be read is the greatest there is: of named indexes, those past the end are ignored
  const count = body.length < 8 ? batchRunsMax : Math.min(packedCount(body), batchRunsMax);
  const failed = indexes.length > 0 ? indexes : Array.from({ length: count }, (_, index) => index);
  const deviations = failed.map((index) => ({
    index,
    state: RunState.FAILED,
    error: toRunError('processing_error'),
    variables: [],
  }));
  const outcome = { id, publicId, indexes: failed, epoch, variableIds: Buffer.alloc(0), deviations };
  await ingestion.completeRuns({ batches: [outcome] });
  events.gaveUp({ batchId: id, reason });
}

/** The batch with its points, from the ingestion service where its message has none. Undefined: it is dealt with. */
async function readBatch(processing: Processing, { queued, points }: DeliveredBatch): Promise<ReadBatch | undefined> {
  if (points !== undefined) return { queued, points };
  let body: Buffer;
  try {
    ({ body } = await processing.ingestion.getBatchBody({ id: queued.id, publicId: queued.publicId }));
  } catch (error) {
    if (!(error instanceof WeirError && error.code === 'not_found')) throw error;
    processing.events.unknownBatch(queued.id);
    return undefined;
  }
  try {
    return { queued, points: unpackPoints(body) };
  } catch (error) {
    if (!(error instanceof PackedPointsError)) throw error;
    await giveUp(processing, { ...queued, body }, `its body cannot be read: ${error.message}`);
    return undefined;
  }
}

/**
 * Counts an attempt at batches that came before, and leaves those that are to be worked on.
 *
 * @param mayBeOver - whether a batch with too many is given up: not by a retry that comes for the first time, as attempts at others of its runs count with it
 */
async function begin(
  processing: Processing,
  batches: readonly DeliveredBatch[],
  mayBeOver: boolean,
): Promise<DeliveredBatch[]> {
  const { attempts } = await processing.ingestion.beginAttempts(toNames(batches));
  const isOver = (_: DeliveredBatch, i: number): boolean => mayBeOver && (attempts[i] ?? 0) > processing.attemptsMax;
  for (const { queued } of batches.filter(isOver)) {
    await giveUp(processing, queued, `${processing.attemptsMax} attempts failed`);
  }
  return batches.filter((batch, i) => !isOver(batch, i) && (attempts[i] ?? 0) > 0);
}

async function processOpen(
  processing: Processing,
  open: readonly DeliveredBatch[],
  mayBeStored: boolean,
): Promise<void> {
  const read: ReadBatch[] = [];
  for (const batch of open) {
    const found = await readBatch(processing, batch);
    if (found !== undefined) read.push(found);
  }
  if (read.length > 0) await processRuns(processing, read, mayBeStored);
}

async function processGroup(
  processing: Processing,
  group: readonly DeliveredBatch[],
  suspicion: Delivery['suspicion'],
): Promise<void> {
  const { ingestion } = processing;
  if (suspicion === 0) return await processOpen(processing, await leaveQueued(ingestion, group), false);
  const begun = await begin(processing, group, suspicion === 2);
  try {
    await processOpen(processing, begun, true);
  } catch (error) {
    // it goes on counting where that cannot be said either
    if (isUnavailable(error)) await ingestion.takeBackAttempts(toNames(begun)).catch(() => undefined);
    throw error;
  }
}

/**
 * Processes one message without others. One that was delivered before is suspected of having made
 * its processing fail, perhaps of having ended a process: its attempts are counted before they
 * begin, and a batch that had too many is given up. On the second time its batches are still
 * processed together, later each by itself, so that one of them takes no other down. An attempt is
 * not begun, and so not counted, while something that it needs does not answer, and not counted
 * any more where that is found only in it: a database that is slow, or locked, answers such questions.
 */
export async function processAlone(processing: Processing, { batches, suspicion }: Delivery): Promise<void> {
  const first = batches[0];
  if (first === undefined) return;
  if (suspicion > 0) await checkDependencies(processing, first.queued);
  const groups = suspicion < 2 ? [batches] : batches.map((batch) => [batch]);
  const failures: unknown[] = [];
  for (const group of groups) {
    try {
      await processGroup(processing, group, suspicion);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
