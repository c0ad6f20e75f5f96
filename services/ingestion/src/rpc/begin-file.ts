import { isId } from '@weir/kit/ids';
import type { Db, PoolView, Transaction } from '@weir/kit/sql';
import { inProject } from '@weir/kit/tenancy';
import { nowUs } from '@weir/kit/time';
import type { BeginFileRequest, BeginFileResponse, FindFileRequest, FindFileResponse } from '@weir/proto/ingestion';
import { isFinished } from '../domain/file-run.js';
import type { Events } from '../events.js';
import {
  insertFileRun,
  type OpenFileRun,
  resumeFileRun,
  selectFileByKey,
  selectOpenFileRun,
} from '../store/file-runs.js';
import { fromFileSource, requireSameFile, toOpenFile } from './file-messages.js';
import { invalidRequest } from './messages.js';

/** Answers the run of the file that a key of a connection means, if any. */
export async function findFile(db: Db, request: FindFileRequest): Promise<FindFileResponse> {
  const source = fromFileSource(request.source);
  const { projectId, connectionId, idempotencyKey } = source;
  if (idempotencyKey === '') return {};
  const key = { projectId, connectionId, idempotencyKey };
  const found = await inProject(projectId, () => selectFileByKey.maybe(db, key));
  if (found === undefined) return {};
  requireSameFile(source, found);
  return { file: toOpenFile(found) };
}

/** Makes the run of a file, or goes on with the one that its key means. */
export function createBeginFile(options: {
  readonly pool: PoolView;
  readonly events: Events;
  readonly leaseMs: number;
}): (request: BeginFileRequest) => Promise<BeginFileResponse> {
  const { pool, events, leaseMs } = options;
  return async ({ source: given, runId, parserVersion, configurationJson, bytesTotal }) => {
    const source = fromFileSource(given);
    if (!isId(runId)) throw invalidRequest([{ path: '/run_id', code: 'invalid', message: 'must be a UUID' }]);
    const { projectId, connectionId, idempotencyKey, parserId, fileName, siteId } = source;
    const expiresAtUs = nowUs() + leaseMs * 1000;
    const begin = async (tx: Transaction): Promise<OpenFileRun> => {
      const made = await insertFileRun.run(tx, {
        id: runId,
        projectId,
        connectionId,
        idempotencyKey: idempotencyKey === '' ? null : idempotencyKey,
        parserId,
        parserVersion,
        configuration: configurationJson,
        fileName,
        siteId: siteId === '' ? null : siteId,
        bytesTotal: bytesTotal ?? null,
        expiresAtUs,
      });
      const byId = await selectOpenFileRun.maybe(tx, { projectId, id: runId });
      // made now, or by a call that was repeated
      if (byId !== undefined) return byId;
      const known = await selectFileByKey.one(tx, { projectId, connectionId, idempotencyKey });
      requireSameFile(source, known);
      if (made === 0 && !isFinished(known)) await resumeFileRun.run(tx, { projectId, id: known.id, expiresAtUs });
      return known;
    };
    const file = await inProject(projectId, () => pool.transaction(begin));
    events.fileBegun(file.id === runId ? 'new' : 'again');
    return { file: toOpenFile(file) };
  };
}
