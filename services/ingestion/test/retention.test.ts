import { setTimeout as delay } from 'node:timers/promises';
import { leastIdAt, newId, runId } from '@weir/kit/ids';
import { createLogger } from '@weir/kit/log';
import type { Transaction } from '@weir/kit/sql';
import { nowUs } from '@weir/kit/time';
import { RunState } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { createEvents } from '../src/events.js';
import { deleteExpired, type Walk } from '../src/retention.js';
import { lockBatches } from '../src/store/completion.js';
import { requeueDeviations } from '../src/store/deviations.js';
import { resumeFileRun } from '../src/store/file-runs.js';
import { requeue } from '../src/store/queue.js';
import { eventually, newScope, startClient, submission, type TestIngestion, testIngestion } from './test-ingestion.js';

const error = { code: 'instrument_archived', message: 'It is archived.' };

/** Makes everything older by some days: ids carry the time of admission. */
async function age(it: TestIngestion, days: number): Promise<(id: string) => string> {
  const prefix = leastIdAt((Date.now() - days * 86_400_000) * 1000).slice(0, 13);
  for (const [table, column] of [
    ['batches', 'public_id'],
    ['queue', 'public_id'],
    ['run_deviations', 'run_id'],
  ]) {
    await it.pool.query({
      text: `update ingestion.${table} set ${column} = ($1 || substr(${column}::text, 14))::uuid`,
      values: [prefix],
    });
  }
  await it.pool.query({
    text: `update ingestion.idempotency_keys set created_at = created_at - make_interval(days => $1::int)`,
    values: [days],
  });
  return (id) => prefix + id.slice(13);
}

/** Deletes once what is older than 40 days, and what failed than 41 unless that is kept. */
const forget = ({ pool }: TestIngestion, walk?: Walk, failedRunDays = 41): Promise<Walk | undefined> =>
  deleteExpired(
    {
      pool,
      events: createEvents(createLogger('test', 'silent')),
      keyDays: 30,
      runDays: 40,
      failedRunDays,
    },
    new AbortController().signal,
    walk,
  );

/** Deletes once while a transaction that has done `work` is open, and after it has committed. */
async function forgetBeside(it: TestIngestion, work: (tx: Transaction) => Promise<void>): Promise<void> {
  const forgetting = await it.pool.transaction(async (tx) => {
    await work(tx);
    const ended = forget(it);
    // it should not wait for this one; if it does, it goes on when this has committed
    await Promise.race([ended, delay(500)]);
    return { ended };
  });
  await forgetting.ended;
}

const count = async (it: TestIngestion, table: string): Promise<number> =>
  Number(
    (await it.pool.query({ text: `select count(*) as count from ingestion.${table}`, values: [] })).rows[0]?.['count'],
  );

test('keys and succeeded batches go after their time, and what did not succeed stays', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const keyed = Array.from({ length: 6 }, (_, i) => submission(scope, 2, { idempotencyKey: `key-${i}` }));
  const { admissions } = await it.client.admit({ submissions: keyed });
  const batchIds = admissions.map(({ batchId }) => batchId);
  const [succeeded, superseded, failed, retried] = await Promise.all(batchIds.map((id) => it.numberOf(id)));
  const outcome = (id: number | undefined, state: RunState) => ({
    id: id ?? 0,
    deviations: [{ index: 1, state, error }],
  });
  await it.client.completeRuns({
    batches: [
      { id: succeeded ?? 0 },
      {
        id: superseded ?? 0,
        deviations: [{ index: 0, state: RunState.SUCCEEDED, variables: [{ outcome: 'superseded' }] }],
      },
      outcome(failed, RunState.FAILED),
      outcome(retried, RunState.FAILED),
    ],
  });
  await it.client.retryRuns({ runIds: [runId(batchIds[3] ?? '', 1)] });
  const shift = await age(it, 45);
  const scopeOnly = { scope, limit: 100 };
  const before = (await it.client.listRuns(scopeOnly)).runs.length;
  expect(before).toBe(12);

  const env = { RETENTION_INTERVAL_MS: '20' };
  {
    // 45 days are past the time of keys, not of runs
    await using _service = await startClient(it.databaseUrl, it.stream.prefix, env);
    await eventually(async () => expect(await count(it, 'idempotency_keys')).toBe(0));
    expect(await count(it, 'batches')).toBe(6);
  }
  await it.client.admit({ submissions: [submission(scope, 1, { idempotencyKey: 'new' })] });
  await using _service = await startClient(it.databaseUrl, it.stream.prefix, { ...env, RUN_RETENTION_DAYS: '40' });
  await eventually(async () => expect(await count(it, 'batches')).toBe(5));
  expect(await count(it, 'run_deviations')).toBe(2);
  expect(await count(it, 'idempotency_keys')).toBe(1);
  const left = (await it.client.listRuns(scopeOnly)).runs.map((run) => run.runId);
  for (const id of [batchIds[2], batchIds[3], batchIds[4], batchIds[5]])
    expect(left).toContain(shift(runId(id ?? '', 0)));
  const { run } = await it.client.getRun({ scope, runId: shift(runId(batchIds[2] ?? '', 1)) });
  expect(run).toMatchObject({ state: RunState.FAILED, error, instrumentName: 'Alder Weir' });

  // until an operator says how long
  const failedToo = { ...env, RUN_RETENTION_DAYS: '40', FAILED_RUN_RETENTION_DAYS: '44' };
  await using _other = await startClient(it.databaseUrl, it.stream.prefix, failedToo);
  await eventually(async () => expect(await count(it, 'batches')).toBe(4));
  const still = (await it.client.listRuns(scopeOnly)).runs.map((each) => each.runId);
  expect(still).not.toContain(shift(runId(batchIds[2] ?? '', 1)));
  // one that is queued again is not final
  expect(still).toContain(shift(runId(batchIds[3] ?? '', 1)));
});

test('what was looked at and is kept is passed over for a day', async () => {
  await using it = await testIngestion();
  const failed = await it.admit(submission(newScope(), 1));
  const deviations = [{ index: 0, state: RunState.FAILED, error, variables: [] }];
  await it.client.completeRuns({ batches: [{ id: await it.numberOf(failed), deviations }] });
  await age(it, 45);
  const walk = await forget(it, undefined, 0);
  expect(await forget(it, walk)).toEqual(walk);
  expect(await count(it, 'batches')).toBe(1);
  await forget(it, { ...(walk as Walk), sinceUs: (walk as Walk).sinceUs - 25 * 3_600_000_000 });
  expect(await count(it, 'batches')).toBe(0);
});

test('a batch stays that is queued again while others are deleted', async () => {
  await using it = await testIngestion();
  const failed = await it.admit(submission(newScope(), 1));
  const id = await it.numberOf(failed);
  const deviations = [{ index: 0, state: RunState.FAILED, error, variables: [] }];
  await it.client.completeRuns({ batches: [{ id, deviations }] });
  const runIds = [(await age(it, 45))(runId(failed, 0))];
  await forgetBeside(it, async (tx) => {
    await lockBatches.all(tx, { ids: [id] });
    await requeueDeviations.run(tx, { runIds, epochs: [1], actor: { type: 'system', id: 'test' } });
    await requeue.run(tx, { batchIds: [id], shards: [0], runCounts: [1], epochs: [1], nowUs: nowUs() });
  });
  const queued = async () => (await it.client.getRun({ runId: runIds[0] ?? '' })).run?.state;
  expect(await queued()).toBe(RunState.QUEUED);
  await forget(it);
  expect(await queued()).toBe(RunState.QUEUED);
  await it.client.completeRuns({ batches: [{ id, indexes: [0], epoch: 1 }] });
  await forget(it);
  for (const table of ['batches', 'batch_results', 'queue', 'run_deviations']) expect(await count(it, table)).toBe(0);
});

test('a file stays that is gone on with while others are deleted', async () => {
  await using it = await testIngestion();
  const [scope, id] = [newScope(), leastIdAt(nowUs() - 45 * 86_400_000_000)];
  const source = { ...scope, idempotencyKey: 'key', parserId: newId(), fileName: 'a.csv', siteId: '' };
  await it.client.beginFile({ source, runId: id, parserVersion: 1, configurationJson: '{}' });
  await it.pool.query({
    text: `update ingestion.file_runs set state = 'failed', code = 'file_interrupted', finished_at = now()`,
    values: [],
  });
  await forgetBeside(it, async (tx) => {
    await resumeFileRun.run(tx, { projectId: scope.projectId, id, expiresAtUs: nowUs() + 60_000_000 });
  });
  expect((await it.client.getRun({ scope, runId: id })).run?.state).toBe(RunState.RUNNING);
});

test('a batch stays as long as the key that replays it', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const batchId = await it.admit(submission(scope, 1, { idempotencyKey: 'kept' }));
  await it.client.completeRuns({ batches: [{ id: await it.numberOf(batchId) }] });
  await age(it, 10);
  const marker = submission(newScope(), 1, { idempotencyKey: 'old' });
  await it.admit(marker);
  await it.pool.query({
    text: `update ingestion.idempotency_keys set created_at = now() - interval '1 year' where key = 'old'`,
    values: [],
  });
  await using _service = await startClient(it.databaseUrl, it.stream.prefix, {
    RETENTION_INTERVAL_MS: '20',
    RUN_RETENTION_DAYS: '1',
  });
  await eventually(async () => expect(await count(it, 'idempotency_keys')).toBe(1));
  const { admissions } = await it.client.admit({ submissions: [submission(scope, 1, { idempotencyKey: 'kept' })] });
  expect(admissions[0]).toMatchObject({ replayed: true, count: 1 });
  expect((await it.client.admit({ submissions: [marker] })).admissions[0]).toMatchObject({ replayed: false });
});
