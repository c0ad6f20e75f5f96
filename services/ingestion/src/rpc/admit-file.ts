import { notFound } from '@weir/kit/errors';
import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { AdmitFileRequest, AdmitFileResponse, FileProgress } from '@weir/proto/ingestion';
import type { Backlog } from '../backlog.js';
import { newBatchId } from '../domain/batch-id.js';
import { isFinished } from '../domain/file-run.js';
import { checkFileStep } from '../domain/file-step.js';
import type { Provisioning } from '../domain/submission.js';
import type { Events } from '../events.js';
import { advanceFiles, type FileStepColumns } from '../store/file-chunks.js';
import { selectFilePositions } from '../store/file-runs.js';
import type { Publisher } from '../stream/publisher.js';
import { toQueuedBatch } from '../stream/queued-batch.js';
import { toBatchColumns } from './batch-columns.js';
import { toStoredRowErrors } from './file-messages.js';
import { GroupCommit } from './group-commit.js';

/** Steps of files are committed one after the other, so that they leave connections to live points. */
const lanes = 1;
const group = { submissions: 128, points: 20_000, bytes: 32 * 1024 * 1024 };

/** One step of a file, checked. */
interface Step extends Omit<AdmitFileRequest, 'progress' | 'provisioning'> {
  readonly progress: FileProgress;
  readonly provisioning: Provisioning;
  readonly nextPosition: number;
  readonly batches: readonly { readonly publicId: string; readonly count: number; readonly body: Buffer }[];
}

type Result = AdmitFileResponse | undefined;

function toColumns(steps: readonly Step[], leaseMs: number, at: number): FileStepColumns {
  const batches = steps.flatMap((step) => step.batches.map((batch) => ({ ...step, ...batch })));
  return {
    steps: {
      ids: steps.map(({ runId }) => runId),
      projectIds: steps.map(({ projectId }) => projectId),
      connectionIds: steps.map(({ connectionId }) => connectionId),
      positions: steps.map(({ position }) => position),
      nextPositions: steps.map(({ nextPosition }) => nextPosition),
      bytes: steps.map(({ progress }) => progress.bytes),
      rows: steps.map(({ progress }) => progress.rows),
      points: steps.map(({ progress }) => progress.points),
      errors: steps.map(({ progress }) => progress.errors),
      missing: steps.map(({ progress }) => progress.missing),
      skipped: steps.map(({ progress }) => progress.skipped),
      rowErrors: steps.map(({ rowErrors }) => (rowErrors.length === 0 ? null : toStoredRowErrors(rowErrors))),
      zones: steps.map(({ zones }) => (Object.keys(zones).length === 0 ? null : JSON.stringify(zones))),
    },
    batches: {
      ...toBatchColumns(batches),
      fileRunIds: batches.map(({ runId }) => runId),
    },
    expiresAtUs: at + leaseMs * 1000,
    nowUs: at,
  };
}

/** Answers where files stand that were not moved; nothing for one that is not there. */
async function tellPositions(pool: Pool, steps: readonly Step[]): Promise<Map<Step, AdmitFileResponse>> {
  if (steps.length === 0) return new Map();
  const rows = await selectFilePositions.all(pool, {
    ids: steps.map(({ runId }) => runId),
    projectIds: steps.map(({ projectId }) => projectId),
    connectionIds: steps.map(({ connectionId }) => connectionId),
  });
  return new Map(
    rows.map((file) => [
      steps[file.place - 1] as Step,
      { admitted: false, position: file.position, isFinished: isFinished(file) },
    ]),
  );
}

/** Makes the method that admits the points of files: steps that wait are committed together. */
export function createAdmitFile(options: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly events: Events;
  readonly backlog: Backlog;
  readonly leaseMs: number;
  readonly waitingMax: { readonly submissions: number; readonly bytes: number };
}): (request: AdmitFileRequest, context: { readonly signal: AbortSignal }) => Promise<AdmitFileResponse> {
  const { pool, publisher, events, backlog, leaseMs } = options;

  const commit = async (steps: readonly Step[]): Promise<Result[]> => {
    // of two requests that send one file, one moves it; the other is told where it stands
    const firsts = [...new Map([...steps].reverse().map((step) => [step.runId, step])).values()];
    const rows = await advanceFiles.all(pool, toColumns(firsts, leaseMs, nowUs()));
    const ids = new Map(rows.map(({ publicId, batchId }) => [publicId, batchId]));
    const movedIds = new Set(rows.map(({ fileRunId }) => fileRunId));
    const moved = new Set(firsts.filter(({ runId }) => movedIds.has(runId)));
    const publications = [...moved].flatMap(({ batches, ...step }) =>
      batches.map(({ publicId, body }) =>
        toQueuedBatch({ ...toOwner(step), id: ids.get(publicId) as number, publicId, body }, 0, [], 0),
      ),
    );
    publisher.publish('bulk', publications);
    const points = [...moved].flatMap(({ batches }) => batches).reduce((sum, { count }) => sum + count, 0);
    events.admitted(publications.length, points);
    const others = steps.filter((step) => !moved.has(step));
    const positions = await tellPositions(pool, others);
    return steps.map((step) =>
      moved.has(step) ? { admitted: true, position: step.nextPosition, isFinished: false } : positions.get(step),
    );
  };

  const commits = new GroupCommit({ lanes, group, waiting: options.waitingMax }, commit);

  return async ({ progress, ...request }, { signal }) => {
    const given = progress ?? { bytes: 0, rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };
    const { counts, provisioning } = checkFileStep(request);
    const points = counts.reduce((sum, count) => sum + count, 0);
    const nextPosition = request.position + points;
    const batches = request.bodies.map((body, i) => ({ publicId: newBatchId(), count: counts[i] as number, body }));
    const load = {
      submissions: 1,
      points,
      bytes: request.bodies.reduce((sum, body) => sum + body.length, 0),
    };
    backlog.requireRoom();
    const [result] = await commits.submit(
      [{ ...request, progress: given, provisioning, nextPosition, batches }],
      load,
      signal,
    );
    if (result === undefined) throw notFound('run');
    return result;
  };
}

/** What the batches of a step have in common. */
function toOwner({ projectId, connectionId, provisioning, traceparent, requestId }: Omit<Step, 'batches'>) {
  return { projectId, connectionId, provisioning, traceparent, requestId };
}
