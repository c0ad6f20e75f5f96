import { WeirError } from '@weir/kit/errors';
import { parseRunId } from '@weir/kit/ids';
import { runStateNumbers } from '@weir/kit/run-states';
import type { Pool } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { Admission, AdmitRequest, AdmitResponse } from '@weir/proto/ingestion';
import type { Backlog } from '../backlog.js';
import { newBatchId } from '../domain/batch-id.js';
import { type CheckedSubmission, checkSubmissions } from '../domain/submission.js';
import type { Events } from '../events.js';
import { type AdmissionColumns, insertAdmissions, selectReplays } from '../store/admissions.js';
import type { Publisher } from '../stream/publisher.js';
import { toQueuedBatch } from '../stream/queued-batch.js';
import { toBatchColumns } from './batch-columns.js';
import { GroupCommit } from './group-commit.js';

/** Commits at a time, and what one holds. */
const lanes = 2;
const group = { submissions: 512, points: 20_000, bytes: 16 * 1024 * 1024 };

const noStates = Buffer.alloc(0);

type NewBatch = CheckedSubmission & { readonly publicId: string };

function toColumns(batches: readonly NewBatch[], at: number): AdmissionColumns {
  return {
    ...toBatchColumns(batches),
    projectIds: batches.map((batch) => batch.projectId),
    connectionIds: batches.map((batch) => batch.connectionId),
    keys: batches.map((batch) => batch.idempotencyKey || null),
    nowUs: at,
  };
}

/** Answers what taken keys admitted, with the present states of their runs. */
async function replay(pool: Pool, taken: readonly NewBatch[]): Promise<Admission[]> {
  const rows = await selectReplays.all(pool, {
    projectIds: taken.map((batch) => batch.projectId),
    connectionIds: taken.map((batch) => batch.connectionId),
    keys: taken.map((batch) => batch.idempotencyKey),
  });
  return rows.map(({ publicId, runCount, finishedAtUs, deviations }) => {
    if (publicId === undefined || runCount === undefined)
      return cannotTell('The Idempotency-Key was just about to be forgotten; send the request again.');
    const states = Buffer.alloc(runCount, runStateNumbers[finishedAtUs === undefined ? 'queued' : 'succeeded']);
    for (const [runId, state] of deviations ?? []) states[parseRunId(runId).index] = runStateNumbers[state];
    return { batchId: publicId, count: runCount, replayed: true, states, untold: '' };
  });
}

function cannotTell(untold: string): Admission {
  return { batchId: '', count: 0, replayed: true, states: noStates, untold };
}

/** Makes the method that admits submissions: calls that wait are committed together. */
export function createAdmit(options: {
  readonly pool: Pool;
  readonly publisher: Publisher;
  readonly events: Events;
  readonly backlog: Backlog;
  readonly waitingMax: { readonly submissions: number; readonly bytes: number };
}): (request: AdmitRequest, context: { readonly signal: AbortSignal }) => Promise<AdmitResponse> {
  const { pool, publisher, events, backlog } = options;

  const commit = async (submissions: readonly CheckedSubmission[]): Promise<Admission[]> => {
    const batches = submissions.map((submission) => ({ ...submission, publicId: newBatchId() }));
    const rows = await insertAdmissions.all(pool, toColumns(batches, nowUs()));
    const admitted = batches.flatMap((batch, index) => {
      const id = rows[index]?.id;
      if (id === undefined) return [];
      const { publicId, projectId, connectionId, provisioning, body, traceparent, requestId } = batch;
      const stored = { id, publicId, projectId, connectionId, provisioning, body, traceparent, requestId };
      return [{ publication: toQueuedBatch(stored, 0, [], 0), count: batch.count }];
    });
    publisher.publish(
      'live',
      admitted.map(({ publication }) => publication),
    );
    events.admitted(
      admitted.length,
      admitted.reduce((sum, { count }) => sum + count, 0),
    );
    const taken = batches.filter((_, index) => rows[index]?.id === undefined);
    if (taken.length > 0) events.replayed(taken.length);
    // what was committed above is told whatever becomes of the replays beside it
    const replays =
      taken.length === 0
        ? []
        : await replay(pool, taken).catch((error: unknown) => {
            if (!(error instanceof WeirError)) throw error;
            events.unavailable();
            return taken.map(() => cannotTell('The database does not answer.'));
          });
    let nextReplay = 0;
    return batches.map(({ publicId, count }, index): Admission => {
      if (rows[index]?.id === undefined) return replays[nextReplay++] as Admission;
      return { batchId: publicId, count, replayed: false, states: noStates, untold: '' };
    });
  };

  const commits = new GroupCommit(
    { lanes, group, waiting: options.waitingMax },
    (submissions: readonly CheckedSubmission[]) => commit(submissions),
  );

  return async ({ submissions }, { signal }) => {
    if (submissions.length === 0) return { admissions: [] };
    const checked = checkSubmissions(submissions);
    const load = {
      submissions: checked.length,
      points: checked.reduce((sum, { count }) => sum + count, 0),
      bytes: checked.reduce((sum, { body }) => sum + body.length, 0),
    };
    try {
      backlog.requireRoom();
      const admissions = await commits.submit(checked, load, signal);
      events.answered(admissions.flatMap(({ batchId }) => (batchId === '' ? [] : [batchId])));
      return { admissions };
    } catch (error) {
      if (error instanceof WeirError && error.code === 'dependency_unavailable') events.unavailable();
      throw error;
    }
  };
}
