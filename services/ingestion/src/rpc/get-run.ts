import { notFound } from '@weir/kit/errors';
import { isId, parseRunId } from '@weir/kit/ids';
import type { Pool } from '@weir/kit/sql';
import { unpackPoints } from '@weir/points';
import type { GetRunRequest, GetRunResponse, Run } from '@weir/proto/ingestion';
import { standingOf } from '../domain/run.js';
import { variableOutcomes } from '../domain/variable-outcomes.js';
import { selectBatch } from '../store/batches.js';
import { selectDeviation, toDeviation } from '../store/deviations.js';
import { selectFileRun } from '../store/file-runs.js';
import { toFileRun } from './file-messages.js';
import { fromScope, isInScope, type Scope, toRun } from './messages.js';

async function getFileRun(pool: Pool, allowed: Scope, runId: string): Promise<Run> {
  const file = await selectFileRun.maybe(pool, { id: runId });
  if (file === undefined || !isInScope(allowed, file)) throw notFound('run');
  return toFileRun(file);
}

/** Answers a run with its point and what became of each of its values; that of a file with its row errors. */
export async function getRun(pool: Pool, { scope, runId }: GetRunRequest): Promise<GetRunResponse> {
  const allowed = fromScope(scope);
  if (!isId(runId)) throw notFound('run');
  const { batchId, index } = parseRunId(runId);
  const batch = await selectBatch.maybe(pool, { publicId: batchId });
  if (batch === undefined) return { run: await getFileRun(pool, allowed, runId) };
  if (index >= batch.runCount || !isInScope(allowed, batch)) throw notFound('run');
  const row = await selectDeviation.maybe(pool, { runId });
  const deviation = row === undefined ? undefined : toDeviation(row);
  const standing = standingOf(batch, deviation);
  const points = unpackPoints(batch.body);
  const channel = points.valueChannels[points.valueStarts[index] as number] as number;
  return {
    run: {
      ...toRun(runId, batch, standing),
      variables: variableOutcomes(points, index, standing, batch.variableIds, deviation?.variables ?? []),
      instrumentName: points.channels[channel]?.instrumentName ?? '',
      instrumentTimestampUs: points.instantsUs[index] as number,
      fileRunId: batch.fileRunId ?? '',
    },
  };
}
