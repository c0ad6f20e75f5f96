import { runId as idOfRun } from '@weir/kit/ids';
import { RunState } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { newScope, submission, testIngestion } from './test-ingestion.js';

const noRun = { code: 'not_found' };

test('S7: what is asked for a project is behind policies: without them to let it, nothing is seen, whatever statements say', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const batchId = await it.admit(submission(scope, 2));
  const error = { code: 'instrument_archived', message: 'It is archived.' };
  const deviations = [{ index: 1, state: RunState.FAILED, error }];
  await it.client.completeRuns({ batches: [{ id: await it.numberOf(batchId), deviations }] });
  const file = await it.client.beginFile({
    source: { ...scope, idempotencyKey: 'a', parserId: scope.projectId, fileName: 'a.csv', siteId: '' },
    runId: newScope().projectId,
    parserVersion: 1,
    configurationJson: '{}',
  });
  const runId = idOfRun(batchId, 1);
  const fileRunId = file.file?.run?.runId ?? '';
  expect((await it.client.listRuns({ scope, limit: 10 })).runs).toHaveLength(3);

  // policies that let work pass that is of all projects, and none that is of one
  for (const table of ['batches', 'queue', 'run_deviations', 'file_runs']) {
    const text = `alter policy ${table}_project_policy on ingestion.${table} using (current_setting('weir.project_id', true) = '*')`;
    await it.pool.query({ text, values: [] });
  }
  const source = { ...scope, idempotencyKey: 'a', parserId: scope.projectId, fileName: 'a.csv', siteId: '' };
  const progress = { bytes: 0, rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };
  for (const asked of [scope, { ...scope, connectionId: '' }]) {
    await expect(it.client.getRun({ scope: asked, runId })).rejects.toMatchObject(noRun);
    await expect(it.client.getRun({ scope: asked, runId: fileRunId })).rejects.toMatchObject(noRun);
    expect((await it.client.listRuns({ scope: asked, limit: 10 })).runs).toEqual([]);
    expect((await it.client.listRuns({ scope: asked, state: RunState.FAILED, limit: 10 })).runs).toEqual([]);
    await expect(it.client.retryRuns({ scope: asked, runIds: [runId] })).rejects.toMatchObject(noRun);
  }
  expect(await it.client.findFile({ source })).toEqual({ file: undefined });
  await expect(it.client.finishFile({ ...scope, runId: fileRunId, progress })).rejects.toMatchObject(noRun);

  // an operator names no project
  expect((await it.client.getRun({ scope: {}, runId })).run).toMatchObject({ state: RunState.FAILED, error });
  expect((await it.client.listRuns({ limit: 10 })).runs).toHaveLength(3);
  expect((await it.client.retryRuns({ runIds: [runId] })).runs).toHaveLength(1);
});
