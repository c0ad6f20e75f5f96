import { greatestId, isId, leastIdAt, parseRunId, runId, runIds } from '@weir/kit/ids';
import { toRunStateWord } from '@weir/kit/run-states';
import type { Db, Statement } from '@weir/kit/sql';
import { inProjectOrAll } from '@weir/kit/tenancy';
import type { ListRunsRequest, ListRunsResponse, Run } from '@weir/proto/ingestion';
import { RunState as RunStateNumber } from '@weir/proto/ingestion';
import type { FileState } from '../domain/file-run.js';
import { mergePages } from '../domain/merge-pages.js';
import { type RunState, standingOf } from '../domain/run.js';
import type { Scope } from '../domain/scope.js';
import { deviationsByBatch, selectDeviations, toDeviation } from '../store/deviations.js';
import {
  type BatchRange,
  type DeviationRange,
  type ListedBatch,
  type ListedDeviation,
  selectAllBatches,
  selectAllDeviations,
  selectConnectionBatches,
  selectConnectionDeviations,
  selectProjectBatches,
  selectProjectDeviations,
  selectQueuedBatches,
  selectQueuedProjectBatches,
} from '../store/runs.js';
import { listFileRuns } from './list-file-runs.js';
import { fromScope, invalidRequest, toRun } from './messages.js';

/** Runs a page has at most. */
const limitMax = 100;
/** A page looks at so many batches and runs at a time, and so many times: its work is bounded whatever is filtered. */
const windowMax = { batches: 200, runs: 1000 };
const windowsMax = 10;

/** Where a list stands: runs below `before`, down to `least`. */
interface Position {
  readonly before: string;
  readonly least: string;
}

type Page = ListRunsResponse;

function batchStatement(scope: Scope, state: RunState | undefined): Statement<BatchRange, ListedBatch> {
  if (state === 'queued') return scope.projectId === '' ? selectQueuedBatches : selectQueuedProjectBatches;
  if (scope.connectionId !== '') return selectConnectionBatches;
  return scope.projectId === '' ? selectAllBatches : selectProjectBatches;
}

function deviationStatement(scope: Scope): Statement<DeviationRange, ListedDeviation> {
  if (scope.connectionId !== '') return selectConnectionDeviations;
  return scope.projectId === '' ? selectAllDeviations : selectProjectDeviations;
}

/** The next runs below a position, with the position that was reached; no position when there is nothing further. */
async function selectWindow(
  db: Db,
  scope: Scope,
  state: RunState | undefined,
  { before, least }: Position,
  max: { readonly batches: number; readonly runs: number },
): Promise<{ readonly runs: Run[]; readonly reached: string | undefined }> {
  const top = parseRunId(before);
  const range = { ...scope, last: top.batchId, least, limit: max.batches };
  const batches = await batchStatement(scope, state).all(db, range);
  const parts: { readonly batch: ListedBatch; readonly start: number; readonly end: number }[] = [];
  let count = 0;
  for (const batch of batches) {
    if (count >= max.runs) break;
    const end = batch.publicId === top.batchId ? Math.min(top.index, batch.runCount) : batch.runCount;
    const start = Math.max(0, end - (max.runs - count));
    parts.push({ batch, start, end });
    count += end - start;
  }
  const rows = await selectDeviations.all(db, {
    projectId: scope.projectId,
    firsts: parts.map(({ batch, start }) => runId(batch.publicId, start)),
    lasts: parts.map(({ batch, end }) => runId(batch.publicId, Math.max(end - 1, 0))),
  });
  const deviations = deviationsByBatch(rows);
  const runs = parts.flatMap(({ batch, start, end }) => {
    const idOf = runIds(batch.publicId);
    const ofBatch = deviations.get(batch.publicId);
    return Array.from({ length: end - start }, (_, i) => end - 1 - i)
      .map((index) => ({ id: idOf(index), standing: standingOf(batch, ofBatch?.get(index)) }))
      .filter(({ standing }) => state === undefined || standing.state === state)
      .map(({ id, standing }) => toRun(id, batch, standing));
  });
  const last = parts.at(-1);
  const isEnd = parts.length === batches.length && batches.length < max.batches && (last?.start ?? 0) === 0;
  return { runs, reached: isEnd || last === undefined ? undefined : runId(last.batch.publicId, last.start) };
}

/** Runs by walking batches, for the states that most runs are in. */
async function listByBatch(
  db: Db,
  scope: Scope,
  state: RunState | undefined,
  position: Position,
  limit: number,
): Promise<Page> {
  const max = state === undefined ? { batches: limit + 1, runs: limit + 1 } : windowMax;
  const runs: Run[] = [];
  let before: string | undefined = position.before;
  for (let windows = 0; windows < windowsMax && before !== undefined && runs.length <= limit; windows++) {
    const next = await selectWindow(db, scope, state, { ...position, before }, max);
    runs.push(...next.runs);
    before = next.reached;
  }
  return runs.length > limit
    ? { runs: runs.slice(0, limit), nextAfter: runs[limit - 1]?.runId ?? '' }
    : { runs, nextAfter: before ?? '' };
}

/** Runs of a state that only those have that deviate. */
async function listByDeviation(
  db: Db,
  scope: Scope,
  state: RunState,
  position: Position,
  limit: number,
): Promise<Page> {
  const rows = await deviationStatement(scope).all(db, { ...scope, ...position, state, limit: limit + 1 });
  const runs = rows.slice(0, limit).map((row) => {
    // a final run stands as its row says, whatever its batch
    const standing = standingOf({ runCount: 0, attempts: 0 }, toDeviation(row));
    return toRun(row.runId, row, standing);
  });
  return { runs, nextAfter: rows.length > limit ? (runs.at(-1)?.runId ?? '') : '' };
}

async function listPointRuns(
  db: Db,
  scope: Scope,
  state: RunState | FileState | undefined,
  position: Position,
  limit: number,
): Promise<Page> {
  if (state === 'running') return noRuns;
  return state === 'failed' || state === 'partially_succeeded'
    ? await listByDeviation(db, scope, state, position, limit)
    : await listByBatch(db, scope, state, position, limit);
}

/** Kinds that may be asked for; the empty one is all. */
const kinds = ['', 'ingestion', 'file'];

const noRuns: Page = { runs: [], nextAfter: '' };

/**
 * Answers runs, newest first: by the descending order of their ids, which begin with the time. A
 * page may be short, even empty, and have a next one, since the work for a page is bounded.
 */
export async function listRuns(db: Db, request: ListRunsRequest): Promise<Page> {
  const scope = fromScope(request.scope);
  const { after, limit, createdAfterUs, createdBeforeUs, kind } = request;
  const state = toRunStateWord(request.state);
  const details = [];
  if (after !== '' && !isId(after)) details.push({ path: '/after', code: 'invalid', message: 'must be a run id' });
  if (!(limit >= 1 && limit <= limitMax))
    details.push({ path: '/limit', code: 'invalid', message: `must be 1 to ${limitMax}` });
  if (!kinds.includes(kind))
    details.push({ path: '/kind', code: 'invalid', message: `must be one of ${kinds.join(', ')}` });
  if (details.length > 0) throw invalidRequest(details);
  // other kinds of runs have further states
  if (state === undefined && request.state !== RunStateNumber.UNSPECIFIED) return noRuns;

  const end = createdBeforeUs === undefined ? greatestId : leastIdAt(createdBeforeUs);
  const position = {
    before: after !== '' && after < end ? after : end,
    least: leastIdAt(createdAfterUs ?? 0),
  };
  const [points, files] = await inProjectOrAll(scope.projectId, () =>
    Promise.all([
      kind === 'file' ? noRuns : listPointRuns(db, scope, state, position, limit),
      kind === 'ingestion' ? noRuns : listFileRuns(db, { ...scope, ...position }, state, limit),
    ]),
  );
  return mergePages(points, files, limit);
}
