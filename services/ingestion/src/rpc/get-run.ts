import { notFound } from '@weir/kit/errors';
import { isId, parseRunId } from '@weir/kit/ids';
import type { Db } from '@weir/kit/sql';
import { inProjectOrAll } from '@weir/kit/tenancy';
import { unpackPoints } from '@weir/points';
import type { GetRunRequest, GetRunResponse, Run } from '@weir/proto/ingestion';
import { standingOf } from '../domain/run.js';
import type { Scope } from '../domain/scope.js';
import { variableIdsAt, variableOutcomes } from '../domain/variable-outcomes.js';
import { selectBatch } from '../store/batches.js';
import { selectDeviation, toDeviation } from '../store/deviations.js';
import { selectFileRun } from '../store/file-runs.js';
import { toFileRun } from './file-messages.js';
import { fromScope, toRun } from './messages.js';

async function loadFileRun(db: Db, scope: Scope, runId: string): Promise<Run> {
  const file = await selectFileRun.maybe(db, { ...scope, id: runId });
  if (file === undefined) throw notFound('run');
  return toFileRun(file);
}

async function loadRun(db: Db, scope: Scope, runId: string): Promise<Run> {
  const { batchId, index } = parseRunId(runId);
  const batch = await selectBatch.maybe(db, { ...scope, publicId: batchId });
  if (batch === undefined) return await loadFileRun(db, scope, runId);
  if (index >= batch.runCount) throw notFound('run');
  const row = await selectDeviation.maybe(db, { projectId: scope.projectId, runId });
  const deviation = row === undefined ? undefined : toDeviation(row);
  const standing = standingOf(batch, deviation);
  const points = unpackPoints(batch.body);
  const variableIds = deviation?.variableIds ?? variableIdsAt(points, index, batch.variableIds);
  const channel = points.valueChannels[points.valueStarts[index] as number] as number;
  return {
    ...toRun(runId, batch, standing),
    variables: variableOutcomes(points, index, standing, variableIds, deviation?.variables ?? []),
    instrumentName: points.channels[channel]?.instrumentName ?? '',
    instrumentTimestampUs: points.instantsUs[index] as number,
    fileRunId: batch.fileRunId ?? '',
  };
}

/** Answers a run with its point and what became of each of its values; that of a file with its row errors. */
export async function getRun(db: Db, { scope: scopeMessage, runId }: GetRunRequest): Promise<GetRunResponse> {
  const scope = fromScope(scopeMessage);
  if (!isId(runId)) throw notFound('run');
  return { run: await inProjectOrAll(scope.projectId, () => loadRun(db, scope, runId)) };
}
