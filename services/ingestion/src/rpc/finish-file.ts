import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { Db } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import type { FinishFileRequest, FinishFileResponse } from '@weir/proto/ingestion';
import { decideFileEnd, interrupted, isFinished } from '../domain/file-run.js';
import type { Events } from '../events.js';
import { finishFileRun, selectFileRun } from '../store/file-runs.js';
import { toFileRun, toStoredRowErrors } from './file-messages.js';
import { invalidRequest } from './messages.js';

/** Makes durable how reading a file ended, and answers its run. */
export async function finishFile(
  db: Db,
  events: Events,
  { projectId, connectionId, runId, progress, rowErrors, interruption }: FinishFileRequest,
): Promise<FinishFileResponse> {
  if (!isId(runId)) throw notFound('run');
  if (progress === undefined) throw invalidRequest([{ path: '/progress', code: 'required', message: 'is missing' }]);
  const end =
    interruption === undefined
      ? { ...decideFileEnd(progress), message: undefined }
      : { state: 'failed', code: interrupted, message: interruption };
  const changed = await finishFileRun.run(db, {
    id: runId,
    projectId,
    connectionId,
    state: end.state,
    code: end.code ?? null,
    message: end.message ?? null,
    ...progress,
    rowErrors: toStoredRowErrors(rowErrors),
    nowUs: nowUs(),
  });
  const file = await selectFileRun.maybe(db, { projectId, connectionId, id: runId });
  if (file === undefined) throw notFound('run');
  if (!isFinished(file) && interruption === undefined) {
    const message = `must be the ${file.position} points that are admitted`;
    throw invalidRequest([{ path: '/progress/points', code: 'incomplete', message }]);
  }
  if (changed > 0) events.fileFinished(file.code ?? file.state);
  return { run: toFileRun(file) };
}
