import { idBytes, newId, runId } from '@weir/kit/ids';
import { runErrorCodes } from '@weir/kit/run-codes';
import { type GetRunResponse, RunState } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import { packedPoints } from './packed-points.js';
import { newScope, submission, type TestIngestion, testIngestion } from './test-ingestion.js';

const archived = { code: 'variable_archived', message: runErrorCodes.variable_archived };
const unknown = { code: 'instrument_not_found', message: 'There is no „Elder Weir“ here.' };

async function admitted(it: TestIngestion, count: number, variables: readonly string[] = ['Stage']) {
  const batchId = await it.admit(submission(newScope(), 0, { body: packedPoints(count, { variables }) }));
  const id = await it.numberOf(batchId);
  const run = async (index: number): Promise<NonNullable<GetRunResponse['run']>> => {
    const { run: found } = await it.client.getRun({ runId: runId(batchId, index) });
    if (found === undefined) throw new Error('no run');
    return found;
  };
  return { batchId, id, run };
}

describe('completing', () => {
  test('finishes runs with what became of their variables', async () => {
    await using it = await testIngestion();
    const { id, run } = await admitted(it, 4, ['Stage', 'Flow']);
    const stage = newId();
    const failed = { position: 1, outcome: 'failed', error: archived };
    await it.client.completeRuns({
      batches: [
        {
          id,
          variableIds: Buffer.concat([idBytes(stage), Buffer.alloc(16)]),
          deviations: [
            { index: 1, state: RunState.PARTIALLY_SUCCEEDED, variables: [failed] },
            { index: 2, state: RunState.FAILED, error: unknown, variables: [] },
            { index: 3, state: RunState.SUCCEEDED, variables: [{ position: 0, outcome: 'superseded' }] },
          ],
        },
      ],
    });
    const runs = await Promise.all([0, 1, 2, 3].map(run));
    expect(runs.map(({ state }) => state)).toEqual([
      RunState.SUCCEEDED,
      RunState.PARTIALLY_SUCCEEDED,
      RunState.FAILED,
      RunState.SUCCEEDED,
    ]);
    expect(runs.map(({ variables }) => variables.map(({ outcome }) => outcome))).toEqual([
      ['stored', 'stored'],
      ['stored', 'failed'],
      ['failed', 'failed'],
      ['superseded', 'stored'],
    ]);
    expect(runs[1]?.variables[1]).toEqual({ name: 'Flow', outcome: 'failed', error: archived });
    expect(runs[0]?.variables[0]?.variableId).toBe(stage);
    expect(runs.map(({ error }) => error)).toEqual([undefined, undefined, unknown, undefined]);
    expect(runs.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1]);
    for (const { finishedAtUs, createdAtUs } of runs) expect(finishedAtUs).toBeGreaterThanOrEqual(createdAtUs);
    expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 0, unfinishedRuns: 0 });
  });

  test('again changes nothing, whatever it says', async () => {
    await using it = await testIngestion();
    const { id, run } = await admitted(it, 2);
    const first = { id, deviations: [{ index: 0, state: RunState.FAILED, error: unknown }] };
    await it.client.completeRuns({ batches: [first, first] });
    const before = await Promise.all([0, 1].map(run));
    await it.client.completeRuns({
      batches: [first, { id, deviations: [{ index: 1, state: RunState.FAILED, error: archived }] }],
    });
    await it.client.completeRuns({ batches: [{ id, indexes: [0] }, { id: 4_000_000 }] });
    expect(await Promise.all([0, 1].map(run))).toEqual(before);
  });

  test('in parts finishes the batch with the last one', async () => {
    await using it = await testIngestion();
    const { id, run } = await admitted(it, 5, ['Stage', 'Flow']);
    const [stage, flow] = [newId(), newId()];
    await it.client.completeRuns({
      batches: [
        {
          id,
          indexes: [1, 3],
          variableIds: Buffer.concat([idBytes(stage), Buffer.alloc(16)]),
          deviations: [{ index: 3, state: RunState.FAILED, error: unknown }],
        },
      ],
    });
    const half = await Promise.all([0, 1, 2, 3, 4].map(run));
    expect(half.map(({ state }) => state)).toEqual([1, 2, 1, 4, 1]);
    expect((await it.client.getQueue({})).unfinishedRuns).toBe(3);
    await it.client.completeRuns({
      batches: [
        {
          id,
          variableIds: Buffer.concat([Buffer.alloc(16), idBytes(flow)]),
          deviations: [{ index: 0, state: RunState.FAILED, error: archived }],
        },
      ],
    });
    const runs = await Promise.all([0, 1, 2, 3, 4].map(run));
    expect(runs.map(({ state }) => state)).toEqual([4, 2, 2, 4, 2]);
    // final ones stay as they are, and the others have their own
    for (const index of [1, 3]) expect(runs[index]).toEqual(half[index]);
    expect(runs.map(({ variables }) => variables.map(({ variableId }) => variableId))).toEqual(
      [0, 1, 2, 3, 4].map((index) => (index % 2 === 1 ? [stage, undefined] : [undefined, flow])),
    );
    expect((await it.client.getQueue({})).unfinishedBatches).toBe(0);
  });

  test('in parts of which the first is told again, as by who takes over in between, ends each run once', async () => {
    await using it = await testIngestion();
    const { id, run } = await admitted(it, 4);
    const states = async () =>
      (await Promise.all([0, 1, 2, 3].map(run))).map(({ state, error }) => [state, error?.code]);
    const first = { id, epoch: 0, indexes: [0, 1], deviations: [{ index: 0, state: RunState.FAILED, error: unknown }] };
    const second = {
      id,
      epoch: 0,
      indexes: [2, 3],
      deviations: [{ index: 3, state: RunState.FAILED, error: archived }],
    };
    await it.client.completeRuns({ batches: [first] });
    const half = await Promise.all([0, 1].map(run));
    expect((await it.client.beginAttempts({ batchIds: [id] })).attempts).toEqual([1]);
    await it.client.completeRuns({ batches: [first] });
    expect(await Promise.all([0, 1].map(run))).toEqual(half);
    expect((await it.client.getQueue({})).unfinishedRuns).toBe(2);
    await it.client.completeRuns({ batches: [second] });
    expect(await states()).toEqual([
      [RunState.FAILED, unknown.code],
      [RunState.SUCCEEDED, undefined],
      [RunState.SUCCEEDED, undefined],
      [RunState.FAILED, archived.code],
    ]);
    expect(await it.client.getQueue({})).toMatchObject({ unfinishedBatches: 0, unfinishedRuns: 0 });
  });

  test('is refused with every fault', async () => {
    await using it = await testIngestion();
    const error = await it.client
      .completeRuns({
        batches: [
          { id: 1, variableIds: Buffer.alloc(3), deviations: [{ index: 0, state: RunState.QUEUED }] },
          {
            id: 2,
            indexes: [1],
            deviations: [
              { index: 2, state: RunState.FAILED },
              { index: 2, state: RunState.FAILED, error: archived, variables: [{ outcome: 'lost' }] },
            ],
          },
        ],
      })
      .catch((thrown: unknown) => thrown);
    expect((error as { details: { path: string }[] }).details.map(({ path }) => path)).toEqual([
      '/batches/0/deviations/0/state',
      '/batches/0/variable_ids',
      '/batches/1/deviations/0/error',
      '/batches/1/deviations/1/variables/0/outcome',
      '/batches/1/deviations',
      '/batches/1/deviations',
    ]);
  });

  test('by many at once in any order ends once each', async () => {
    await using it = await testIngestion();
    const scope = newScope();
    const { admissions } = await it.client.admit({
      submissions: Array.from({ length: 60 }, () => submission(scope, 2)),
    });
    const ids = await Promise.all(admissions.map(({ batchId }) => it.numberOf(batchId)));
    await Promise.all(
      Array.from({ length: 12 }, (_, caller) => {
        const batches = (caller % 2 === 0 ? ids : ids.toReversed()).map((id) => ({
          id,
          indexes: caller % 3 === 0 ? [caller % 2] : [],
          deviations:
            caller % 3 !== 0 && caller % 4 === 1 ? [{ index: 0, state: RunState.FAILED, error: archived }] : [],
        }));
        return it.client.completeRuns({ batches });
      }),
    );
    expect((await it.client.getQueue({})).unfinishedBatches).toBe(0);
    const { runs } = await it.client.listRuns({ scope, limit: 100 });
    expect(runs.every(({ state, attempts }) => state !== RunState.QUEUED && attempts === 1)).toBe(true);
  });
});

test('attempts are counted before the work, and shown', async () => {
  await using it = await testIngestion();
  const { id, run } = await admitted(it, 1);
  expect((await it.client.beginAttempts({ batchIds: [id, 777_777, id] })).attempts).toEqual([1, 0, 1]);
  expect((await it.client.beginAttempts({ batchIds: [id] })).attempts).toEqual([2]);
  expect((await run(0)).attempts).toBe(2);
  await it.client.completeRuns({ batches: [{ id }] });
  expect((await run(0)).attempts).toBe(2);
  expect((await it.client.beginAttempts({ batchIds: [id] })).attempts).toEqual([0]);
});

test('a run that is not there, or not in scope, is not found', async () => {
  await using it = await testIngestion();
  const scope = newScope();
  const batchId = await it.admit(submission(scope, 2));
  const get = (request: object) => it.client.getRun(request).then(({ run }) => run?.runId);
  expect(await get({ scope, runId: runId(batchId, 1) })).toBe(runId(batchId, 1));
  const notFound = { code: 'not_found' };
  await expect(get({ runId: runId(batchId, 2) })).rejects.toMatchObject(notFound);
  await expect(get({ runId: newId() })).rejects.toMatchObject(notFound);
  await expect(get({ runId: 'x' })).rejects.toMatchObject(notFound);
  await expect(get({ scope: newScope(), runId: batchId })).rejects.toMatchObject(notFound);
  await expect(get({ scope: { ...scope, connectionId: newId() }, runId: batchId })).rejects.toMatchObject(notFound);
  await expect(get({ scope: { projectId: 'x' }, runId: batchId })).rejects.toMatchObject({ code: 'invalid_request' });
});
