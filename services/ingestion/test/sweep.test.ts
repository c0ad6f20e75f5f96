import { runId } from '@weir/kit/ids';
import { startTcpProxy, testServer } from '@weir/kit/testing';
import { RunState } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { eventually, newScope, startClient, submission, testIngestion } from './test-ingestion.js';

const often = { SWEEP_INTERVAL_MS: '20', SWEEP_AFTER_MS: '200' };

async function natsProxy() {
  const url = new URL(testServer('NATS_URL'));
  const proxy = await startTcpProxy(url.host);
  // with the credentials of the server behind it
  url.host = proxy.address;
  return { proxy, url: url.href, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

test('admission goes on without NATS, from the start and later, and the sweeper publishes what was missed', async () => {
  await using nats = await natsProxy();
  nats.proxy.begin({ kind: 'reset' });
  await using it = await testIngestion({ ...often, NATS_URL: nats.url });
  const first = await it.admit(submission(newScope(), 2));
  nats.proxy.begin({ kind: 'none' });
  const [swept] = await it.stream.next('live');
  expect(swept).toMatchObject({ id: await it.numberOf(first), epoch: 1, indexes: [] });
  await it.client.completeRuns({ batches: [{ id: swept?.id ?? 0, epoch: 1 }] });

  nats.proxy.begin({ kind: 'reset' });
  const second = await it.admit(submission(newScope(), 2));
  nats.proxy.begin({ kind: 'none' });
  const later = await eventually(async () => {
    const [batch] = await it.stream.next('live');
    if (batch?.id !== (await it.numberOf(second))) throw new Error('another batch');
    return batch;
  });
  expect(later.epoch).toBeGreaterThan(0);
});

test('a stream that was lost with all messages is made again, and everything queued comes back', async () => {
  await using it = await testIngestion(often);
  const scope = newScope();
  const { admissions } = await it.client.admit({ submissions: Array.from({ length: 30 }, () => submission(scope, 1)) });
  await eventually(async () => expect(await it.stream.messages()).toBe(1));
  await it.stream.remove();
  const queued = await it.stream.next('live');
  const numbers = await Promise.all(admissions.map(({ batchId }) => it.numberOf(batchId)));
  expect(queued.map(({ id }) => id)).toEqual(numbers);
  expect(queued.every(({ epoch }) => epoch > 0)).toBe(true);
});

test('publishing makes a stream again that is gone', { timeout: 90_000 }, async () => {
  await using it = await testIngestion();
  // NATS 2.9 loses the files of a stream that is removed while it is made, and takes nothing for it any more
  await eventually(() => it.stream.messages());
  await it.stream.remove();
  const ids: number[] = [];
  // on a busy server a stream may take longer to be made than a publication is tried: then that is left to the sweeper
  await eventually(async () => {
    ids.push(await it.numberOf(await it.admit(submission(newScope(), 1))));
    const [batch] = await it.stream.next('live');
    expect([ids.includes(batch?.id ?? 0), batch?.epoch]).toEqual([true, 0]);
  }, 60_000);
});

test('what merely waits in the stream is not published again, until it waited too long', async () => {
  await using it = await testIngestion({ ...often, SWEEP_AGAIN_MS: '1500' });
  const scope = newScope();
  const admittedMs = Date.now();
  await it.admit(submission(scope, 1));
  await it.admit(submission(scope, 1));
  await eventually(async () => expect(await it.stream.messages()).toBe(3));
  expect(Date.now() - admittedMs).toBeGreaterThan(1400);
});

test('a lost retry is published again in its lane, with the runs that are queued still', async () => {
  await using it = await testIngestion(often);
  const batchId = await it.admit(submission(newScope(), 3));
  await it.stream.next('live');
  const id = await it.numberOf(batchId);
  const error = { code: 'quota_exceeded', message: 'Enough.' };
  const deviations = [0, 1, 2].map((index) => ({ index, state: RunState.FAILED, error }));
  await it.client.completeRuns({ batches: [{ id, deviations }] });
  await it.client.retryRuns({ runIds: [0, 1, 2].map((index) => runId(batchId, index)) });
  const [retried] = await it.stream.next('bulk');
  expect(retried).toMatchObject({ indexes: [0, 1, 2], queuedEpoch: retried?.epoch });
  await it.client.completeRuns({
    batches: [{ id, indexes: [1], deviations: [{ index: 1, state: RunState.FAILED, error }] }],
  });
  await it.client.retryRuns({ runIds: [runId(batchId, 1)] });
  await eventually(async () => expect((await it.stream.next('bulk'))[0]?.indexes).toEqual([1]));
  await it.client.completeRuns({ batches: [{ id, indexes: [0] }] });
  // those of the first retry were queued first
  await eventually(async () => {
    const [swept] = await it.stream.next('bulk');
    expect(swept).toMatchObject({ indexes: [1, 2], queuedEpoch: retried?.epoch });
    expect(swept?.epoch).toBeGreaterThan(retried?.epoch ?? 0);
  });
});

test('two services sweep a batch once', async () => {
  await using it = await testIngestion({ ...often, SWEEP_AFTER_MS: '1000' });
  await using _other = await startClient(it.databaseUrl, it.stream.prefix, { ...often, SWEEP_AFTER_MS: '1000' });
  const { admissions } = await it.client.admit({
    submissions: Array.from({ length: 50 }, () => submission(newScope(), 1)),
  });
  await eventually(async () => expect(await it.stream.messages()).toBeGreaterThan(0));
  await it.stream.manager.streams.purge(it.stream.names.stream);
  const epochs = new Map<number, number[]>();
  while (epochs.size < admissions.length) {
    for (const { id, epoch } of await it.stream.next('live')) epochs.set(id, [...(epochs.get(id) ?? []), epoch]);
  }
  expect([...epochs.values()].every((seen) => new Set(seen).size === seen.length)).toBe(true);
});
