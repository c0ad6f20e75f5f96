import type { Db, Statement } from '@weir/kit/sql';
import type { ListRunsResponse } from '@weir/proto/ingestion';
import type { FileState } from '../domain/file-run.js';
import type { RunState } from '../domain/run.js';
import {
  type FileRange,
  type ListedFileRun,
  selectAllFiles,
  selectConnectionFiles,
  selectProjectFiles,
} from '../store/file-runs.js';
import { toFileRun } from './file-messages.js';

const allStates: readonly FileState[] = ['running', 'succeeded', 'partially_succeeded', 'failed'];

function statementFor({
  projectId,
  connectionId,
}: Omit<FileRange, 'states' | 'limit'>): Statement<FileRange, ListedFileRun> {
  if (connectionId !== '') return selectConnectionFiles;
  return projectId === '' ? selectAllFiles : selectProjectFiles;
}

/** The runs of files below a position, newest first. */
export async function listFileRuns(
  db: Db,
  range: Omit<FileRange, 'states' | 'limit'>,
  state: RunState | FileState | undefined,
  limit: number,
): Promise<ListRunsResponse> {
  const states = state === undefined ? allStates : [state];
  const rows = await statementFor(range).all(db, { ...range, states, limit: limit + 1 });
  const runs = rows.slice(0, limit).map(toFileRun);
  return { runs, nextAfter: rows.length > limit ? (runs.at(-1)?.runId ?? '') : '' };
}
