import { idBytes, newId, runId } from '@weir/kit/ids';
import { runErrorCodes } from '@weir/kit/run-codes';
import { CompleteRunsRequest, type CompleteRunsRequest as Request, RunState } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import type { Events } from '../src/events.js';
import { beginAttempts } from '../src/rpc/attempts.js';
import { completeRuns } from '../src/rpc/complete-runs.js';
import { findQueued } from '../src/rpc/find-queued.js';
import { packedPoints } from './packed-points.js';
import { eventually, newScope, submission, type TestIngestion, testIngestion } from './test-ingestion.js';

const error = { code: 'variable_archived', message: runErrorCodes.variable_archived };

/** An admitted batch of two points, as it was after a restore: what it is called by outcomes of the batch that had its number before. */
async function admitted(it: TestIngestion) {
  const publicId = await it.admit(submission(newScope(), 2, { body: packedPoints(2, { variables: ['Stage'] }) }));
  const id = await it.numberOf(publicId);
  const [own, other] = [newId(), newId()];
  return {
    id,
    publicId,
    own,
    /** What is told of it. */
    outcome: { id, publicId, variableIds: idBytes(own) },
    /** What is told of the batch that had its number. */
    stale: {
      id,
      publicId: newId(),
      variableIds: idBytes(other),
      deviations: [{ index: 0, state: RunState.FAILED, error, variables: [] }],
    },
    async runs() {
      const runs = await Promise.all([0, 1].map((index) => it.client.getRun({ runId: runId(publicId, index) })));
      return runs.map(({ run }) => [run?.state, run?.variables[0]?.variableId]);
    },
  };
}

/** Events that keep which batches were unknown. */
function notedEvents() {
  const unknown: number[] = [];
  const events = { unknown: (ids: readonly number[]) => unknown.push(...ids), completed: () => undefined };
  return { unknown, events: events as unknown as Events };
}

const request = (batches: Parameters<typeof CompleteRunsRequest.fromPartial>[0]['batches']): Request =>
  CompleteRunsRequest.fromPartial({ batches: batches ?? [] });

describe('an outcome', () => {
  test('of a batch with the same number, from before a restore, finishes nothing and is unknown', async () => {
    await using it = await testIngestion();
    const { events, unknown } = notedEvents();
    const batch = await admitted(it);
    await completeRuns(it.pool, events, request([batch.stale]));
    expect(unknown).toEqual([batch.id]);
    // as it is when a part of its runs was finished before
    await completeRuns(it.pool, events, request([{ ...batch.stale, indexes: [0] }]));
    expect(unknown).toEqual([batch.id, batch.id]);
    expect(await batch.runs()).toEqual([
      [RunState.QUEUED, undefined],
      [RunState.QUEUED, undefined],
    ]);
    expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 1, unfinishedRuns: 2 });
  });

  test.each([
    ['before', ({ stale, outcome }: Awaited<ReturnType<typeof admitted>>) => [stale, outcome]],
    ['after', ({ stale, outcome }: Awaited<ReturnType<typeof admitted>>) => [outcome, stale]],
    [
      'among parts before',
      ({ stale, outcome }: Awaited<ReturnType<typeof admitted>>) => [
        { ...stale, indexes: [0] },
        { ...outcome, indexes: [0, 1] },
      ],
    ],
  ])('comes with such a one %s it, and is told apart', async (_, order) => {
    await using it = await testIngestion();
    const { events, unknown } = notedEvents();
    const batch = await admitted(it);
    await completeRuns(it.pool, events, request(order(batch)));
    expect(unknown).toEqual([batch.id]);
    expect(await batch.runs()).toEqual([
      [RunState.SUCCEEDED, batch.own],
      [RunState.SUCCEEDED, batch.own],
    ]);
  });

  test('of a processor of the release before, which says a number alone, finishes the batch', async () => {
    await using it = await testIngestion();
    const batch = await admitted(it);
    const { publicId: _, ...unsaid } = batch.outcome;
    await it.client.completeRuns({ batches: [unsaid] });
    expect(await batch.runs()).toEqual([
      [RunState.SUCCEEDED, batch.own],
      [RunState.SUCCEEDED, batch.own],
    ]);
  });

  test('whose public id is none is of no batch', async () => {
    await using it = await testIngestion();
    const { events, unknown } = notedEvents();
    const batch = await admitted(it);
    await completeRuns(it.pool, events, request([{ ...batch.outcome, publicId: 'x' }]));
    expect(unknown).toEqual([batch.id]);
    expect((await it.client.getQueue({})).unfinishedBatches).toBe(1);
  });
});

test('what is asked of a batch from before a restore is not answered of the one that has its number', async () => {
  await using it = await testIngestion();
  const { events, unknown } = notedEvents();
  const { id, publicId, stale, outcome } = await admitted(it);
  const names = { batchIds: [id, id, id, 999_999], publicIds: [stale.publicId, publicId, '', newId()] };
  expect(await findQueued(it.pool, events, names)).toEqual({ areQueued: [false, true, true, false] });
  expect(unknown.splice(0)).toEqual([id, 999_999]);
  expect(await beginAttempts(it.pool, events, names)).toEqual({ attempts: [0, 1, 1, 0] });
  expect(unknown.splice(0)).toEqual([id, 999_999]);
  expect(await beginAttempts(it.pool, events, { batchIds: [id], publicIds: [stale.publicId] })).toEqual({
    attempts: [0],
  });
  expect(unknown.splice(0)).toEqual([id]);
  expect(await beginAttempts(it.pool, events, { batchIds: [id], publicIds: [] })).toEqual({ attempts: [2] });

  const notFound = { code: 'not_found' };
  await expect(it.client.getBatchBody({ id, publicId: stale.publicId })).rejects.toMatchObject(notFound);
  expect((await it.client.getBatchBody({ id, publicId })).body).not.toHaveLength(0);

  await it.client.completeRuns({ batches: [outcome] });
  expect(await findQueued(it.pool, events, names)).toEqual({ areQueued: [false, false, false, false] });
  expect(unknown).toEqual([id, 999_999]);
});

test('a number that is given again is published again, and the sweeper leaves what had it before to processors', async () => {
  await using it = await testIngestion({ SWEEP_INTERVAL_MS: '20', SWEEP_AFTER_MS: '200' });
  const scope = newScope();
  const before = await it.admit(submission(scope, 1));
  const number = await it.numberOf(before);
  await eventually(async () => expect(await it.stream.messages()).toBe(1));
  // as a restore to the time before leaves it
  await it.pool.query({ text: 'truncate ingestion.batches, ingestion.queue restart identity', values: [] });
  await it.pool.query({ text: "select setval('ingestion.batches_id_seq', $1, false)", values: [number] });
  const after = await it.admit(submission(scope, 1));
  expect(await it.numberOf(after)).toBe(number);
  await eventually(async () => expect(await it.stream.messages()).toBe(2));
  await it.client.completeRuns({ batches: [{ id: number, publicId: after }] });
  // longer than the sweeper leaves alone what is none's
  await new Promise((resolve) => setTimeout(resolve, 600));
  const [first] = await it.stream.next('live');
  expect(first).toMatchObject({ id: number, publicId: before, epoch: 0 });
});
