import dns from 'node:dns';
import { setTimeout as delay } from 'node:timers/promises';
import { GetQueueResponse, IngestionServiceDefinition } from '@weir/proto/ingestion';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogger } from '../src/log/index.js';
import { connect, startRpcServer } from '../src/rpc/index.js';
import { servedInPart, startTcpProxy } from '../src/testing/index.js';

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

/** A replica of the ingestion service that tells that it was asked, and answers when that has been taken. */
async function startReplica(listenAddress: string, onCall: () => unknown, connectionAgeMs?: number) {
  const count = async (): Promise<GetQueueResponse> => {
    await onCall();
    return GetQueueResponse.create();
  };
  return await startRpcServer({
    listenAddress,
    services: [
      servedInPart(IngestionServiceDefinition, {
        admit: async () => {
          await onCall();
          return { admissions: [] };
        },
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
  const calls = 50;
  let effects = 0;
  let answering = Promise.withResolvers<void>();
  const begin = () => {
    effects++;
    return answering.promise;
  };
  await using one = await startReplica('127.0.0.1:0', begin);
  await using other = await startReplica('127.0.0.1:0', begin);
  await using first = await startTcpProxy(one.address);
  await using second = await startTcpProxy(other.address);
  using client = connect(IngestionServiceDefinition, `ipv4:${first.address},${second.address}`);
  /** Has a replica go when both have begun all calls and answered none. @returns the errors that callers saw */
  const whileOneGoes = async (gone: typeof first, call: () => Promise<unknown>): Promise<unknown[]> => {
    effects = 0;
    const results = Promise.allSettled(Array.from({ length: calls }, call));
    await expect.poll(() => effects).toBe(calls);
    gone.begin({ kind: 'reset' });
    answering.resolve();
    const errors = (await results).flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
    gone.begin({ kind: 'none' });
    answering = Promise.withResolvers();
    return errors;
  };

  expect(await whileOneGoes(first, () => client.getQueue({}))).toEqual([]);
  // those that were begun at the replica that is gone were begun again
  expect(effects).toBeGreaterThan(calls);

  // a method that is not declared idempotent
  const errors = await whileOneGoes(second, () => client.admit({}));
  expect(errors.length).toBeGreaterThan(0);
  for (const error of errors) expect(error).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
  expect(effects).toBe(calls);
});

test('G3: an answer that breaks off at any byte costs idempotent calls nothing', async () => {
  let begun = 0;
  await using one = await startReplica('127.0.0.1:0', () => begun++);
  await using other = await startReplica('127.0.0.1:0', () => begun++);
  // longer than an answer is
  const bytes = 160;
  const breakOff = async (byte: number): Promise<void> => {
    await using proxy = await startTcpProxy(one.address);
    using client = connect(IngestionServiceDefinition, `ipv4:${proxy.address},${other.address}`);
    await client.getQueue({});
    // both are connected by then
    await delay(300);
    proxy.begin({ kind: 'reset-after', bytes: byte });
    // replicas take turns
    for (let call = 0; call < 2; call++) await client.getQueue({});
  };
  await Promise.all(Array.from({ length: bytes }, (_, byte) => breakOff(byte)));
  // some were begun again
  expect(begun).toBeGreaterThan(3 * bytes);
});

test('G4: a replica that is added is found when connections grow old, and one that stops fails nothing', async () => {
  // not shorter than the pause that clients make between two look-ups
  const ageMs = 5000;
  const asked = new Set<string>();
  pods = ['127.0.0.2'];
  const old = await startReplica('127.0.0.2:0', () => asked.add('old'), ageMs);
  const port = old.address.slice(old.address.lastIndexOf(':') + 1);
  using client = connect(IngestionServiceDefinition, `dns:///${hostname}:${port}`);
  await client.getQueue({});
  await using _ = await startReplica(`127.0.0.3:${port}`, () => asked.add('added'), ageMs);
  pods = ['127.0.0.2', '127.0.0.3'];
  const addedMs = performance.now();
  while (!asked.has('added')) {
    await client.getQueue({});
    await delay(20);
  }
  expect(performance.now() - addedMs).toBeLessThan(2 * ageMs);
  pods = ['127.0.0.3'];
  const stopping = old[Symbol.asyncDispose]();
  for (let call = 0; call < 20; call++) await client.getQueue({});
  await stopping;
  asked.clear();
  await client.getQueue({});
  expect([...asked]).toEqual(['added']);
});
