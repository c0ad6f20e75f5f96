import dns from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import { type DeepPartial, type GetQueueResponse, IngestionServiceDefinition } from '@weir/proto/ingestion';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../src/log/index.js';
import { connect, served, startRpcServer } from '../src/rpc/index.js';
import { startTcpProxy } from '../src/testing/index.js';

const hostname = 'replicas.test';
const log = createLogger('test', 'silent');

/** What the name means now, as the DNS of a headless Service would say. */
let pods: string[] = [];
const { lookup } = dns.promises;
beforeEach(() => {
  const answer = (name: string, ...rest: unknown[]): unknown =>
    name === hostname
      ? Promise.resolve(pods.map((address) => ({ address, family: 4 })))
      : (lookup as (...args: unknown[]) => unknown)(name, ...rest);
  Object.assign(dns.promises, { lookup: answer });
});
afterEach(() => {
  Object.assign(dns.promises, { lookup });
});

/** A replica of the ingestion service that tells that it was asked. */
async function startReplica(listenAddress: string, onCall: () => void, connectionAgeMs?: number) {
  const unused = () => Promise.reject(new Error('not part of the test'));
  const count = (): Promise<DeepPartial<GetQueueResponse>> => {
    onCall();
    return Promise.resolve({});
  };
  return await startRpcServer({
    listenAddress,
    services: [
      served(IngestionServiceDefinition, {
        admit: unused,
        findFile: unused,
        beginFile: unused,
        admitFile: unused,
        finishFile: unused,
        getRun: unused,
        listRuns: unused,
        retryRuns: async () => {
          onCall();
          return { runs: [] };
        },
        beginAttempts: unused,
        completeRuns: unused,
        getBatchBody: unused,
        getQueue: count,
      }),
    ],
    isReady: async () => {},
    log,
    drainMs: 0,
    ...(connectionAgeMs === undefined ? {} : { connectionAgeMs }),
  });
}

test('G3: a replica that is gone from one moment to the next costs idempotent calls nothing, and others no second effect', async () => {
  let effects = 0;
  await using one = await startReplica('127.0.0.1:0', () => effects++);
  await using other = await startReplica('127.0.0.1:0', () => effects++);
  await using first = await startTcpProxy(one.address);
  await using second = await startTcpProxy(other.address);
  using client = connect(IngestionServiceDefinition, `ipv4:${first.address},${second.address}`);
  const calls = async (call: () => Promise<unknown>): Promise<number> => {
    const results = await Promise.allSettled(Array.from({ length: 50 }, call));
    return results.filter(({ status }) => status === 'rejected').length;
  };
  await calls(() => client.getQueue({}));
  const idempotent = calls(() => client.getQueue({}));
  first.begin({ kind: 'reset' });
  expect(await idempotent).toBe(0);
  expect(await calls(() => client.getQueue({}))).toBe(0);
  first.begin({ kind: 'none' });

  effects = 0;
  const once = calls(() => client.retryRuns({}));
  second.begin({ kind: 'reset' });
  expect(await once).toBeLessThanOrEqual(50);
  expect(effects).toBeLessThanOrEqual(50);
});

test('G4: a replica that is added is found when connections grow old, and one that stops fails nothing', async () => {
  const asked = new Set<string>();
  pods = ['127.0.0.2'];
  const old = await startReplica('127.0.0.2:0', () => asked.add('old'), 500);
  const port = old.address.slice(old.address.lastIndexOf(':') + 1);
  using client = connect(IngestionServiceDefinition, `dns:///${hostname}:${port}`);
  await client.getQueue({});
  await using _ = await startReplica(`127.0.0.3:${port}`, () => asked.add('added'), 500);
  pods = ['127.0.0.2', '127.0.0.3'];
  while (!asked.has('added')) {
    await client.getQueue({});
    await delay(20);
  }
  pods = ['127.0.0.3'];
  const stopping = old[Symbol.asyncDispose]();
  for (let call = 0; call < 20; call++) await client.getQueue({});
  await stopping;
  asked.clear();
  await client.getQueue({});
  expect([...asked]).toEqual(['added']);
});
