import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { isId, parseRunId } from '@weir/kit/ids';
import { shardOf } from '@weir/kit/nats';
import type { PoolView, Transaction } from '@weir/kit/sql';
import { inProjectOrAll } from '@weir/kit/tenancy';
import { nowUs } from '@weir/kit/time';
import type { QueuedBatch, RetryRunsRequest, RetryRunsResponse, Run } from '@weir/proto/ingestion';
import { type Deviation, standingOf } from '../domain/run.js';
import type { Scope } from '../domain/scope.js';
import { toTried } from '../domain/tried-values.js';
import type { Events } from '../events.js';
import { selectBatchIds, selectPublications } from '../store/batches.js';
import { lockBatches, selectResults } from '../store/completion.js';
import { requeueDeviations, selectDeviationsOf } from '../store/deviations.js';
import { lockQueued, requeue } from '../store/queue.js';
import type { Publisher } from '../stream/publisher.js';
import { toQueuedBatch } from '../stream/queued-batch.js';
import { fromScope, invalidRequest, toRun } from './messages.js';

/** Runs of one request at most. */
const runsMax = 1000;
/** Bytes of points that one request publishes at most. */
const publishedBytesMax = 16 * 1024 * 1024;

interface Requeued {
  readonly runs: Run[];
  readonly publications: QueuedBatch[];
}

interface Asked {
  readonly runId: string;
  readonly batchId: string;
  readonly index: number;
  readonly path: string;
}

/** Queues runs again in a transaction, and answers them with what is to be published. */
async function requeueRuns(
  tx: Transaction,
  scope: Scope,
  asked: readonly Asked[],
  actor: { readonly type: string; readonly id: string },
): Promise<Requeued> {
  const publicIds = asked.map(({ batchId }) => batchId);
  const ids = (await selectBatchIds.all(tx, { ...scope, publicIds })).map(({ id }) => id);
  const batches = new Map((await lockBatches.all(tx, { ids })).map((batch) => [batch.publicId, batch]));
  const places = new Map((await lockQueued.all(tx, { batchIds: ids })).map((place) => [place.batchId, place]));
  const results = new Map((await selectResults.all(tx, { batchIds: ids })).map((result) => [result.batchId, result]));
  const deviations = await selectDeviationsOf(tx, scope.projectId, [...batches.keys()]);

  const missing: ErrorDetail[] = [];
  const refused: ErrorDetail[] = [];
  const runs = asked.map(({ runId, batchId, index, path }): Run | undefined => {
    const batch = batches.get(batchId);
    if (batch === undefined || index >= batch.runCount) {
      missing.push({ path, code: 'not_found', message: 'There is no such run of a point.' });
      return undefined;
    }
    const deviation = deviations.get(batchId)?.get(index);
    const { state, attempts } = standingOf(
      {
        runCount: batch.runCount,
        finishedAtUs: results.get(batch.id)?.finishedAtUs,
        attempts: 0,
        queueAttempts: places.get(batch.id)?.attempts,
      },
      deviation,
    );
    if (state !== 'failed' && state !== 'partially_succeeded')
      refused.push({ path, code: 'lifecycle_conflict', message: `The run is ${state}.` });
    return toRun(runId, batch, { state: 'queued', attempts });
  });
  if (missing.length > 0) {
    // files and recalculations have runs as well
    const message = 'Some of the ids name no run of a point, and only such runs can be retried.';
    throw new WeirError('not_found', message, { details: missing });
  }
  if (refused.length > 0) {
    const message = 'Only runs that failed or succeeded partially can be retried.';
    throw new WeirError('lifecycle_conflict', message, { details: refused });
  }

  const again = [...batches.values()].map((batch) => ({
    batch,
    epoch: Math.max(results.get(batch.id)?.epoch ?? 0, places.get(batch.id)?.epoch ?? 0) + 1,
    indexes: asked.filter(({ batchId }) => batchId === batch.publicId).map(({ index }) => index),
  }));
  const epochs = new Map(again.map(({ batch, epoch }) => [batch.publicId, epoch]));
  await requeueDeviations.run(tx, {
    runIds: asked.map(({ runId }) => runId),
    epochs: asked.map(({ batchId }) => epochs.get(batchId) ?? 0),
    actor,
  });
  await requeue.run(tx, {
    batchIds: again.map(({ batch }) => batch.id),
    shards: again.map(({ batch }) => shardOf(batch.projectId)),
    runCounts: again.map(({ indexes }) => indexes.length),
    epochs: again.map(({ epoch }) => epoch),
    nowUs: nowUs(),
  });
  const stored = await selectPublications.all(tx, { ids, bytesMax: publishedBytesMax });
  const publications = stored.map((batch) => {
    const { epoch = 0, indexes = [] } = again.find(({ batch: own }) => own.id === batch.id) ?? {};
    const before = deviations.get(batch.publicId) ?? new Map<number, Deviation>();
    return toQueuedBatch(batch, epoch, indexes, epoch, toTried(indexes, before));
  });
  return { runs: runs.filter((run) => run !== undefined), publications };
}

/** Queues runs again that failed or succeeded partially: all that are asked for, or none. */
export async function retryRuns(
  options: { readonly pool: PoolView; readonly publisher: Publisher; readonly events: Events },
  { scope: scopeMessage, runIds, actor = { type: 'system', id: 'ingestion' } }: RetryRunsRequest,
): Promise<RetryRunsResponse> {
  const { pool, publisher, events } = options;
  const scope = fromScope(scopeMessage);
  if (runIds.length === 0 || runIds.length > runsMax) {
    throw invalidRequest([{ path: '/run_ids', code: 'invalid', message: `must name 1 to ${runsMax} runs` }]);
  }
  const asked = [...new Set(runIds)].map((runId): Asked => {
    const path = `/run_ids/${runIds.indexOf(runId)}`;
    // a text that is no id names no run, as does the nil one
    return { runId, path, ...parseRunId(isId(runId) ? runId : '00000000-0000-0000-0000-000000000000') };
  });
  const { runs, publications } = await inProjectOrAll(scope.projectId, () =>
    pool.transaction((tx) => requeueRuns(tx, scope, asked, actor)),
  );
  publisher.publish('bulk', publications);
  events.retried(runs.length, actor);
  return { runs };
}
