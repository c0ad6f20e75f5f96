import { WeirError } from '@weir/kit/errors';
import { parseRunId, runId } from '@weir/kit/ids';
import { openPool, sql } from '@weir/kit/sql';
import { unpackPoints } from '@weir/points';
import { RunState, type Submission } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import { packedPoints } from './packed-points.js';
import { eventually, newScope, startClient, submission, testIngestion } from './test-ingestion.js';

describe('an admission', () => {
  test('is durable, queued and published with its points', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const { admissions } = await it.client.admit({
      submissions: [submission(scope, 3, { traceparent, requestId: 'request-1' })],
    });
    const [admission] = admissions;
    expect(admission).toMatchObject({ count: 3, replayed: false });
    expect(admission?.states).toHaveLength(0);
    const batchId = admission?.batchId ?? '';
    expect(parseRunId(batchId)).toEqual({ batchId, index: 0 });

    const [queued] = await it.stream.next('live');
    expect(queued).toMatchObject({ ...scope, provisioning: 'automatic', epoch: 0, indexes: [], traceparent });
    expect(queued?.requestId).toBe('request-1');
    expect(queued?.id).toBe(await it.numberOf(batchId));
    expect(unpackPoints(queued?.body ?? Buffer.alloc(0)).count).toBe(3);

    const { run } = await it.client.getRun({ scope: { projectId: scope.projectId }, runId: runId(batchId, 2) });
    expect(run).toMatchObject({ state: RunState.QUEUED, attempts: 0, kind: 'ingestion', instrumentName: 'Alder Weir' });
    expect(run?.createdAtUs).toBe(queued?.admittedAtUs);
    expect(run?.instrumentTimestampUs).toBe(1_700_000_002_000_000);
    expect(run?.variables).toEqual([{ name: 'Stage', outcome: 'queued' }]);
    expect(await it.client.getQueue({})).toMatchObject({
      unfinishedBatches: 1,
      unfinishedRuns: 3,
      oldestAdmittedAtUs: queued?.admittedAtUs,
    });
  });

  test('numbers the submissions of a call in their order, and keeps results in order', async () => {
    await using it = await testIngestion();
    const submissions = Array.from({ length: 40 }, (_, i) =>
      submission(newScope(), (i % 7) + 1, { idempotencyKey: i % 2 === 0 ? `key-${40 - i}` : '' }),
    );
    const { admissions } = await it.client.admit({ submissions });
    expect(admissions.map(({ count }) => count)).toEqual(submissions.map((_, i) => (i % 7) + 1));
    const numbers = await Promise.all(admissions.map(({ batchId }) => it.numberOf(batchId)));
    expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
    expect(admissions.map(({ batchId }) => batchId)).toEqual(admissions.map(({ batchId }) => batchId).sort());
  });

  test('of nothing is nothing', async () => {
    await using it = await testIngestion();
    expect(await it.client.admit({ submissions: [] })).toEqual({ admissions: [] });
  });

  test('publishes a batch that the server would refuse without its points', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const variables = Array.from({ length: 256 }, (_, i) => `${'x'.repeat(200)}${i}`);
    const body = packedPoints(1000, { variables });
    expect(body.length).toBeGreaterThan(1_048_576);
    const batchId = await it.admit(submission(scope, 0, { body }));
    const [queued] = await it.stream.next('live');
    expect(queued?.body).toHaveLength(0);
    const { body: fetched } = await it.client.getBatchBody({ id: queued?.id ?? 0 });
    expect(fetched.equals(body)).toBe(true);
    expect(await it.numberOf(batchId)).toBe(queued?.id);
    await expect(it.client.getBatchBody({ id: 999_999 })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a key', () => {
  test('admits once, within a call and after it, with the present states', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const keyed = (count: number): Submission => submission(scope, count, { idempotencyKey: 'k1' });
    const { admissions } = await it.client.admit({ submissions: [keyed(3), keyed(5), submission(newScope(), 2)] });
    expect(admissions.map(({ replayed, count }) => [replayed, count])).toEqual([
      [false, 3],
      [true, 3],
      [false, 2],
    ]);
    expect(admissions[1]?.batchId).toBe(admissions[0]?.batchId);
    const id = await it.numberOf(admissions[0]?.batchId ?? '');
    const error = { code: 'instrument_archived', message: 'It is archived.' };
    await it.client.completeRuns({
      batches: [{ id, deviations: [{ index: 1, state: RunState.FAILED, error, variables: [] }] }],
    });
    const { admissions: again } = await it.client.admit({ submissions: [keyed(9)] });
    expect(again[0]).toMatchObject({ batchId: admissions[0]?.batchId, count: 3, replayed: true });
    expect([...(again[0]?.states ?? [])]).toEqual([RunState.SUCCEEDED, RunState.FAILED, RunState.SUCCEEDED]);
  });

  test('whose admission cannot be read now fails nothing that is admitted beside it', async () => {
    await using it = await testIngestion();
    const keyed = submission(newScope(), 1, { idempotencyKey: 'k1' });
    await it.admit(keyed);
    await using admin = openPool({ url: it.databaseUrl, max: 2 });
    const endWaiting = sql`
      select count(pg_terminate_backend(pid)) as ended from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await admin.transaction(async (tx) => {
      await tx.query(sql`lock table ingestion.run_deviations in access exclusive mode`);
      const answer = it.client.admit({ submissions: [keyed, submission(newScope(), 2), keyed] });
      await eventually(async () => expect((await admin.query(endWaiting)).rows).toEqual([{ ended: 1 }]));
      const untold = { batchId: '', untold: 'The database does not answer.' };
      const fresh = { count: 2, replayed: false, untold: '' };
      expect((await answer).admissions).toMatchObject([untold, fresh, untold]);
    });
    const { admissions } = await it.client.admit({ submissions: [keyed] });
    expect(admissions).toMatchObject([{ count: 1, replayed: true, untold: '' }]);
  });

  test('belongs to its connection', async () => {
    await using it = await testIngestion();
    const one = newScope();
    const submissions = [one, { ...newScope(), projectId: one.projectId }].map((scope) =>
      submission(scope, 1, { idempotencyKey: 'same' }),
    );
    const { admissions } = await it.client.admit({ submissions });
    expect(admissions.map(({ replayed }) => replayed)).toEqual([false, false]);
  });

  test('J4: sent 200 times at once to two services admits exactly once', async () => {
    await using it = await testIngestion();
    await using other = await startClient(it.databaseUrl, it.stream.prefix);
    const scope = newScope();
    const calls = Array.from({ length: 200 }, (_, i) => {
      const keyed = submission(scope, 10, { idempotencyKey: 'the-key' });
      // other keys in both orders beside it: whoever waits for whom, nobody waits for ever
      const beside = ['a', 'z'].map((key) => submission(scope, 1, { idempotencyKey: `${key}-${i % 20}` }));
      const submissions = i % 4 < 2 ? [beside[1], keyed, beside[0]] : [beside[0], keyed, beside[1]];
      return (i % 2 === 0 ? it.client : other.client).admit({ submissions: submissions as Submission[] });
    });
    const admissions = (await Promise.all(calls)).map(({ admissions: [, middle] }) => middle);
    expect(new Set(admissions.map((admission) => admission?.batchId)).size).toBe(1);
    expect(admissions.filter((admission) => admission?.replayed === false)).toHaveLength(1);
    const { rows } = await it.pool.query({ text: 'select count(*) as count from ingestion.batches', values: [] });
    expect(rows[0]?.['count']).toBe(41);
  });
});

describe('a submission is refused', () => {
  test('with every fault, and nothing of its call is admitted', async () => {
    await using it = await testIngestion();
    const call = it.client.admit({
      submissions: [
        submission(newScope(), 1),
        submission({ projectId: 'nope', connectionId: '' }, 1, { provisioning: 'maybe' }),
        submission(newScope(), 1, { body: Buffer.from('no points'), idempotencyKey: 'with blank' }),
        submission(newScope(), 1, { body: packedPoints(1001) }),
      ],
    });
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_request' });
    expect((error as { details: { path: string }[] }).details.map(({ path }) => path)).toEqual([
      '/submissions/1/project_id',
      '/submissions/1/connection_id',
      '/submissions/1/provisioning',
      '/submissions/2/idempotency_key',
      '/submissions/2/body',
      '/submissions/3/body',
    ]);
    expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 0, unfinishedRuns: 0 });
  });

  test('with Retry-After when too much waits', async () => {
    await using it = await testIngestion({ ADMISSION_WAITING_MAX: '1' });
    // holds commits until the test lets go
    const held = Promise.withResolvers<void>();
    const holding = Promise.withResolvers<void>();
    const hold = it.pool.transaction(async (tx) => {
      await tx.query({ text: 'lock table ingestion.batches in share mode', values: [] });
      holding.resolve();
      await held.promise;
    });
    await holding.promise;
    const calls = Array.from({ length: 12 }, () => it.client.admit({ submissions: [submission(newScope(), 1)] }));
    const overload = await Promise.any(
      calls.map(async (call) => {
        const error = await call.then(
          () => Promise.reject(new Error('admitted')),
          (thrown: unknown) => thrown,
        );
        return error as { code: string; message: string; retryAfterSeconds: number };
      }),
    );
    held.resolve();
    await hold;
    expect(overload).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
    expect(overload.message).toContain('overloaded');
    const settled = await Promise.allSettled(calls);
    const admitted = settled.filter(({ status }) => status === 'fulfilled');
    expect(admitted.length).toBeGreaterThan(0);
    expect((await it.client.getQueue({})).unfinishedBatches).toBe(admitted.length);
  });
});

test('a full backlog refuses what is new with 503, and admits again when there is room', async () => {
  await using it = await testIngestion({ BACKLOG_RUNS_MAX: '3' });
  await it.admit(submission(newScope(), 3));
  const refused = await eventually(async () => {
    const error = await it.client
      .admit({ submissions: [submission(newScope(), 1)] })
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof WeirError)) throw new Error('it was admitted');
    return error;
  });
  expect(refused).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 10 });
  expect(await it.client.getQueue({})).toMatchObject({
    isBacklogFull: true,
    isStreamConnected: true,
    streamBytes: expect.any(Number),
    streamBytesMax: 67_108_864,
  });
  const { rows } = await it.pool.query({ text: 'select batch_id from ingestion.queue', values: [] });
  await it.client.completeRuns({ batches: rows.map(({ batch_id: id }) => ({ id: Number(id) })) });
  await eventually(async () => {
    expect(await it.client.getQueue({})).toMatchObject({ isBacklogFull: false });
    await it.admit(submission(newScope(), 1));
  });
});
