import { idBytes, newId, runId } from '@weir/kit/ids';
import { prometheusText } from '@weir/kit/metrics/prometheus';
import { PointsPacker } from '@weir/points';
import { RunState } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { newScope, submission, testIngestion } from './test-ingestion.js';

const error = { code: 'instrument_archived', message: 'It is archived.' };
const failed = (index: number) => ({ index, state: RunState.FAILED, error });

/** A batch of four: one succeeded, one partially, two failed. */
async function finishedBatch(env: Record<string, string> = {}) {
  const it = await testIngestion(env);
  const scope = newScope();
  const batchId = await it.admit(submission(scope, 4));
  await it.stream.next('live');
  const id = await it.numberOf(batchId);
  const partial = {
    index: 1,
    state: RunState.PARTIALLY_SUCCEEDED,
    variables: [{ position: 0, outcome: 'failed', error }],
  };
  await it.client.completeRuns({ batches: [{ id, deviations: [partial, failed(2), failed(3)], epoch: 0 }] });
  const ids = [0, 1, 2, 3].map((index) => runId(batchId, index));
  const states = async () =>
    (await it.client.listRuns({ scope, limit: 10 })).runs.map(({ state, attempts }) => [state, attempts]).toReversed();
  return { it, scope, batchId, id, ids, states, [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() };
}

test('a retry queues runs again and publishes just them, with their stamps', async () => {
  await using made = await finishedBatch();
  const { it, scope, id, ids, states } = made;
  const actor = { type: 'system', id: 'operator' };
  const { runs } = await it.client.retryRuns({ scope, runIds: [ids[3], ids[1], ids[3]] as string[], actor });
  expect(runs.map((run) => [run.runId, run.state, run.attempts, run.error])).toEqual([
    [ids[3], RunState.QUEUED, 1, undefined],
    [ids[1], RunState.QUEUED, 1, undefined],
  ]);
  const [queued] = await it.stream.next('bulk');
  expect(queued).toMatchObject({ id, ...scope, epoch: 1, queuedEpoch: 1, indexes: [3, 1] });
  // when they were admitted says nothing of how long they wait
  expect(await it.client.getQueue({})).toMatchObject({
    unfinishedBatches: 1,
    unfinishedRuns: 2,
    oldestAdmittedAtUs: expect.any(Number),
    oldestFreshAdmittedAtUs: undefined,
  });
  expect(await prometheusText()).toMatch(/^weir_ingestion_backlog_oldest_age_seconds 0$/m);
  expect(await states()).toEqual([
    [RunState.SUCCEEDED, 1],
    [RunState.QUEUED, 1],
    [RunState.FAILED, 1],
    [RunState.QUEUED, 1],
  ]);
  const { runs: listed } = await it.client.listRuns({ scope, state: RunState.QUEUED, limit: 10 });
  expect(listed.map((run) => run.runId)).toEqual([ids[3], ids[1]]);

  expect((await it.client.beginAttempts({ batchIds: [id] })).attempts).toEqual([1]);
  await it.client.completeRuns({ batches: [{ id, indexes: [1, 3], deviations: [failed(1)], epoch: 1 }] });
  expect(await states()).toEqual([
    [RunState.SUCCEEDED, 1],
    [RunState.PARTIALLY_SUCCEEDED, 2],
    [RunState.FAILED, 1],
    [RunState.SUCCEEDED, 2],
  ]);
  expect((await it.client.getQueue({})).unfinishedBatches).toBe(0);
  const { rows } = await it.pool.query({
    text: 'select retried_by from ingestion.run_deviations where run_id = $1',
    values: [ids[1]],
  });
  expect(rows[0]?.['retried_by']).toEqual(actor);

  await it.client.retryRuns({ runIds: [ids[1] ?? ''] });
  expect((await it.stream.next('bulk'))[0]).toMatchObject({ epoch: 2, indexes: [1] });
});

test('attempts at runs that are retried one by one are not added up', async () => {
  await using made = await finishedBatch();
  const { it, scope, id, ids, states } = made;
  for (const index of [1, 2, 3]) await it.client.retryRuns({ scope, runIds: [ids[index] as string] });
  for (const epoch of [1, 2, 3]) {
    expect((await it.client.beginAttempts({ batchIds: [id] })).attempts).toEqual([1]);
    await it.client.completeRuns({ batches: [{ id, indexes: [epoch], epoch }] });
  }
  expect(await states()).toEqual([1, 2, 2, 2].map((attempts) => [RunState.SUCCEEDED, attempts]));
});

test('an attempt that is taken back does not count', async () => {
  await using made = await finishedBatch();
  const { it, scope, id, ids } = made;
  await it.client.retryRuns({ scope, runIds: [ids[2] as string, ids[3] as string] });
  const batchIds = [id];
  expect(await it.client.beginAttempts({ batchIds })).toEqual({ attempts: [1] });
  expect(await it.client.beginAttempts({ batchIds })).toEqual({ attempts: [2] });
  await it.client.takeBackAttempts({ batchIds });
  // of one that is unknown too, and of what is final nothing
  await it.client.takeBackAttempts({ batchIds: [777_777] });
  expect(await it.client.beginAttempts({ batchIds })).toEqual({ attempts: [2] });
  for (let i = 0; i < 3; i++) await it.client.takeBackAttempts({ batchIds });
  expect(await it.client.beginAttempts({ batchIds })).toEqual({ attempts: [1] });
  // an outcome that settles nothing is no progress
  await it.client.completeRuns({ batches: [{ id, indexes: [0], epoch: 1 }] });
  expect(await it.client.beginAttempts({ batchIds })).toEqual({ attempts: [2] });
});

test('a late outcome of an older message does not settle a run that was queued again', async () => {
  await using made = await finishedBatch();
  const { it, id, ids, states } = made;
  await it.client.retryRuns({ runIds: [ids[2] ?? ''] });
  await it.client.completeRuns({ batches: [{ id, deviations: [failed(2)], epoch: 0 }] });
  expect((await states())[2]).toEqual([RunState.QUEUED, 1]);
  await it.client.completeRuns({ batches: [{ id, indexes: [2], epoch: 1 }] });
  expect((await states())[2]).toEqual([RunState.SUCCEEDED, 2]);
});

test('a second retry of a batch adds to the first', async () => {
  await using made = await finishedBatch();
  const { it, id, ids } = made;
  await it.client.retryRuns({ runIds: [ids[2] ?? ''] });
  await it.client.retryRuns({ runIds: [ids[3] ?? ''] });
  expect((await it.stream.next('bulk'))[0]).toMatchObject({ epoch: 1, indexes: [2] });
  expect((await it.stream.next('bulk'))[0]).toMatchObject({ epoch: 2, indexes: [3] });
  await it.client.completeRuns({ batches: [{ id, indexes: [2], epoch: 1 }] });
  expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 1, unfinishedRuns: 1 });
  await it.client.completeRuns({ batches: [{ id, indexes: [3], epoch: 2 }] });
  expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 0, unfinishedRuns: 0 });
});

test('a retry is refused as a whole: of runs that are not there, then of runs in another state', async () => {
  await using made = await finishedBatch();
  const { it, scope, ids, states } = made;
  const before = await states();
  const refusal = (request: object) =>
    it.client.retryRuns(request).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(await refusal({ scope, runIds: [ids[2], 'x', newId(), ids[0]] })).toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('only such runs can be retried'),
    details: [{ path: '/run_ids/1' }, { path: '/run_ids/2' }],
  });
  expect(await refusal({ scope: newScope(), runIds: [ids[2]] })).toMatchObject({ code: 'not_found' });
  expect(await refusal({ scope, runIds: [ids[2], ids[0]] })).toMatchObject({
    code: 'lifecycle_conflict',
    details: [{ path: '/run_ids/1' }],
  });
  expect(await refusal({ scope, runIds: [] })).toMatchObject({ code: 'invalid_request' });
  expect(await states()).toEqual(before);
  await it.client.retryRuns({ scope, runIds: [ids[2] ?? ''] });
  expect(await refusal({ scope, runIds: [ids[2]] })).toMatchObject({ code: 'lifecycle_conflict' });
});

test('a run keeps its variable when others of its batch are stored under another, or in none', async () => {
  await using it = await testIngestion();
  const batchId = await it.admit(submission(newScope(), 3));
  const id = await it.numberOf(batchId);
  const none = Buffer.alloc(16);
  const idsOf = async () => {
    const answers = await Promise.all([0, 1, 2].map((index) => it.client.getRun({ runId: runId(batchId, index) })));
    return answers.map(({ run }) => run?.variables.map(({ variableId }) => variableId));
  };
  const retry = async (indexes: number[], variableIds: Buffer, deviations: ReturnType<typeof failed>[] = []) => {
    await it.client.retryRuns({ runIds: indexes.map((index) => runId(batchId, index)) });
    await it.client.completeRuns({ batches: [{ id, indexes, variableIds, deviations }] });
    return await idsOf();
  };
  await it.client.completeRuns({ batches: [{ id, variableIds: none, deviations: [0, 1, 2].map(failed) }] });
  expect(await idsOf()).toEqual([[undefined], [undefined], [undefined]]);
  const [older, newer] = [newId(), newId()];
  expect(await retry([0], idBytes(older))).toEqual([[older], [undefined], [undefined]]);
  expect(await retry([1], idBytes(newer), [failed(1)])).toEqual([[older], [newer], [undefined]]);
  expect(await retry([1, 2], none, [failed(1), failed(2)])).toEqual([[older], [undefined], [undefined]]);
  expect(await retry([1, 2], idBytes(newer))).toEqual([[older], [newer], [newer]]);
  // as it is stored, the release before takes it for what became of no variable
  const text = 'select variables from ingestion.run_deviations where run_id = $1';
  const { rows } = await it.pool.query({ text, values: [runId(batchId, 2)] });
  expect(rows[0]?.['variables']).toEqual([{ position: -1, outcome: 'superseded', variable_ids: [newer] }]);
  const { run } = await it.client.getRun({ runId: runId(batchId, 0) });
  expect(run).toMatchObject({ state: RunState.SUCCEEDED, variables: [{ variableId: older, outcome: 'stored' }] });
});

test('a run has the variables of its batch where an outcome names them, and none of other runs', async () => {
  await using it = await testIngestion();
  const packer = new PointsPacker();
  for (const name of ['Stage', 'Flow']) {
    packer.beginPoint(1_700_000_000_000_000, undefined, 'Alder Weir');
    packer.addValue(name, 1);
  }
  const batchId = await it.admit(submission(newScope(), 2, { body: Buffer.from(packer.pack()) }));
  const id = await it.numberOf(batchId);
  const [stage, flow] = [newId(), newId()];
  const variableIds = Buffer.concat([idBytes(stage), idBytes(flow)]);
  await it.client.completeRuns({ batches: [{ id, variableIds, deviations: [failed(1)] }] });
  await it.client.retryRuns({ runIds: [runId(batchId, 1)] });
  const ofOne = Buffer.concat([Buffer.alloc(16), idBytes(flow)]);
  await it.client.completeRuns({ batches: [{ id, indexes: [1], variableIds: ofOne }] });
  const answers = await Promise.all([0, 1].map((index) => it.client.getRun({ runId: runId(batchId, index) })));
  expect(answers.map(({ run }) => run?.variables)).toMatchObject([
    [{ variableId: stage, outcome: 'stored' }],
    [{ variableId: flow, outcome: 'stored' }],
  ]);
  const { rows } = await it.pool.query({ text: 'select variables from ingestion.run_deviations', values: [] });
  expect(rows).toEqual([{ variables: null }]);
});

test('runs of a batch that are all retried at once have the variables of their batch again', async () => {
  await using it = await testIngestion();
  const batchId = await it.admit(submission(newScope(), 2));
  const id = await it.numberOf(batchId);
  const runIds = [0, 1].map((index) => runId(batchId, index));
  await it.client.completeRuns({
    batches: [{ id, variableIds: Buffer.alloc(16), deviations: [failed(0), failed(1)] }],
  });
  await it.client.retryRuns({ runIds });
  const variableId = newId();
  await it.client.completeRuns({ batches: [{ id, indexes: [0, 1], variableIds: idBytes(variableId) }] });
  for (const each of runIds)
    expect((await it.client.getRun({ runId: each })).run?.variables).toMatchObject([{ variableId, outcome: 'stored' }]);
  const { rows } = await it.pool.query({ text: 'select variables from ingestion.run_deviations', values: [] });
  expect(rows).toEqual([{ variables: null }, { variables: null }]);
});

test('runs retried twice at once are queued once', async () => {
  await using made = await finishedBatch();
  const { it, ids } = made;
  const calls = await Promise.allSettled(
    Array.from({ length: 8 }, () => it.client.retryRuns({ runIds: [ids[2] ?? '', ids[3] ?? ''] })),
  );
  expect(calls.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 1, unfinishedRuns: 2 });
});

test('runs of one batch retried at once are published under an epoch each', async () => {
  await using made = await finishedBatch();
  const { it, ids } = made;
  await Promise.all([1, 2, 3].map((index) => it.client.retryRuns({ runIds: [ids[index] ?? ''] })));
  const published = [];
  for (let i = 0; i < 3; i++) published.push(...(await it.stream.next('bulk')));
  expect(new Set(published.map(({ epoch }) => epoch))).toEqual(new Set([1, 2, 3]));
  expect(new Set(published.flatMap(({ indexes }) => indexes))).toEqual(new Set([1, 2, 3]));
});
