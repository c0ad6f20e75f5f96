import { idBytes, newId, runId } from '@weir/kit/ids';
import { runErrorCodes } from '@weir/kit/run-codes';
import { RunState } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { packedPoints } from './packed-points.js';
import { newScope, submission, testIngestion } from './test-ingestion.js';

const error = { code: 'instrument_archived', message: runErrorCodes.instrument_archived };
const [stage, flow] = [newId(), newId()];
const none = Buffer.alloc(16);

/** A run with two values, of which the first is stored. */
async function partialRun(env: Record<string, string> = {}) {
  const it = await testIngestion(env);
  const body = packedPoints(1, { variables: ['Stage', 'Flow'] });
  const batchId = await it.admit(submission(newScope(), 1, { body }));
  await it.stream.next('live');
  const id = await it.numberOf(batchId);
  const variables = [{ position: 1, outcome: 'failed', error }];
  const partial = { index: 0, state: RunState.PARTIALLY_SUCCEEDED, variables };
  await it.client.completeRuns({
    batches: [{ id, variableIds: Buffer.concat([idBytes(stage), none]), deviations: [partial] }],
  });
  const retry = () => it.client.retryRuns({ runIds: [runId(batchId, 0)] });
  const read = async () => {
    const { run } = await it.client.getRun({ runId: runId(batchId, 0) });
    return [run?.state, run?.error, run?.variables.map(({ variableId, outcome }) => [variableId, outcome])];
  };
  return { it, id, retry, read, [Symbol.asyncDispose]: () => it[Symbol.asyncDispose]() };
}

const tried = [{ index: 0, positions: [1] }];

test('a retry of a run that succeeded partially tries what did not, and what is stored stays where it is', async () => {
  await using made = await partialRun();
  const { it, id, retry, read } = made;
  await retry();
  expect(await it.stream.next('bulk')).toMatchObject([{ epoch: 1, indexes: [0], tried }]);
  const failed = { index: 0, state: RunState.FAILED, error };
  await it.client.completeRuns({
    batches: [{ id, indexes: [0], variableIds: Buffer.alloc(32), deviations: [failed] }],
  });
  const left = [
    [stage, 'stored'],
    [undefined, 'failed'],
  ];
  expect(await read()).toEqual([RunState.PARTIALLY_SUCCEEDED, undefined, left]);

  // one that is given up says nothing of variables
  await retry();
  expect(await it.stream.next('bulk')).toMatchObject([{ epoch: 2, tried }]);
  await it.client.completeRuns({ batches: [{ id, indexes: [0], deviations: [failed] }] });
  expect(await read()).toEqual([RunState.PARTIALLY_SUCCEEDED, undefined, left]);

  await retry();
  await it.client.completeRuns({
    batches: [{ id, indexes: [0], variableIds: Buffer.concat([none, idBytes(flow)]) }],
  });
  const all = [
    [stage, 'stored'],
    [flow, 'stored'],
  ];
  expect(await read()).toEqual([RunState.SUCCEEDED, undefined, all]);
});

test('a processor of the release before, which stores all of it again, changes nothing of what was stored', async () => {
  await using made = await partialRun();
  const { it, id, retry, read } = made;
  await retry();
  const variables = [0, 1].map((position) => ({ position, outcome: 'failed', error }));
  const deviations = [{ index: 0, state: RunState.FAILED, error, variables }];
  await it.client.completeRuns({ batches: [{ id, indexes: [0], variableIds: Buffer.alloc(32), deviations }] });
  expect(await read()).toEqual([
    RunState.PARTIALLY_SUCCEEDED,
    undefined,
    [
      [stage, 'stored'],
      [undefined, 'failed'],
    ],
  ]);
});

test('the sweeper publishes what of a run is tried, too', async () => {
  await using made = await partialRun({ SWEEP_AFTER_MS: '300', SWEEP_INTERVAL_MS: '100' });
  const { it, retry } = made;
  await retry();
  const [retried] = await it.stream.next('bulk');
  expect(retried).toMatchObject({ indexes: [0], tried });
  const [swept] = await it.stream.next('bulk');
  expect(swept).toMatchObject({ indexes: [0], queuedEpoch: retried?.epoch, tried });
  expect(swept?.epoch).toBeGreaterThan(retried?.epoch ?? 0);
});
