import { once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import { type DeepPartial, GetQueueResponse, IngestionServiceDefinition } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import { unavailable, WeirError } from '../errors/index.js';
import { createLogger, currentRequestId, inRequest } from '../log/index.js';
import { servedInPart } from '../testing/served-in-part.js';
import { connect, isServing, startRpcServer, whyNotServing } from './index.js';

const log = createLogger('test', 'silent');

/** Starts the ingestion service with one method that matters to the test. */
async function start(
  getQueue: (signal: AbortSignal) => Promise<DeepPartial<GetQueueResponse>>,
  isReady = async () => {},
  logTo = log,
) {
  const server = await startRpcServer({
    listenAddress: '127.0.0.1:0',
    services: [
      servedInPart(IngestionServiceDefinition, {
        getQueue: async (_request, context) => GetQueueResponse.fromPartial(await getQueue(context.signal)),
      }),
    ],
    isReady,
    log: logTo,
    drainMs: 0,
  });
  const client = connect(IngestionServiceDefinition, server.address);
  return {
    client,
    server,
    address: server.address,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const failure = (promise: Promise<unknown>): Promise<WeirError> =>
  promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: unknown) => error as WeirError,
  );

describe('a call', () => {
  test('throws the error that the service threw, unchanged', async () => {
    const thrown = new WeirError('rate_limited', 'Wait for „it“.', {
      details: [{ path: '/data/0', code: 'required', message: 'is missing' }],
      retryAfterSeconds: 7,
    });
    await using it = await start(() => Promise.reject(thrown));
    const caught = await failure(it.client.getQueue({}));
    expect(caught).toBeInstanceOf(WeirError);
    expect({ ...caught, message: caught.message }).toEqual({ ...thrown, message: thrown.message });
  });

  test.each([
    [
      'thrown',
      (error: Error): Promise<never> => {
        throw error;
      },
    ],
    ['rejected', (error: Error) => Promise.reject(error)],
    ['rejected later', (error: Error) => new Promise<never>((_, reject) => setTimeout(() => reject(error), 5))],
  ])('G2: shows nothing of an unexpected error that is %s, tells the log, and the process goes on', async (_, fail) => {
    const logged: (readonly [error: Error, requestId: string])[] = [];
    const watched = createLogger('test', 'silent');
    watched.error = (({ err }: { readonly err: Error }) => logged.push([err, currentRequestId()])) as never;
    await using it = await start(() => fail(new TypeError('secret detail')), undefined, watched);
    for (let call = 0; call < 2; call++) {
      const caught = await failure(inRequest('the-request', () => it.client.getQueue({})));
      expect(caught.code).toBe('internal');
      expect(JSON.stringify({ ...caught, message: caught.message })).not.toMatch(/secret|TypeError|rpc\.test/);
    }
    expect(logged).toHaveLength(2);
    for (const [{ message, stack }, requestId] of logged) {
      expect([message, requestId]).toEqual(['secret detail', 'the-request']);
      expect(stack).toContain('rpc.test');
    }
  });

  test('whose answer cannot be written is told as any unexpected error, and so is one whose error cannot be', async () => {
    const logged: string[] = [];
    const watched = createLogger('test', 'silent');
    watched.error = (({ err }: { readonly err: Error }) => logged.push(err.message)) as never;
    await using unwritable = await start(() => Promise.resolve({ oldestAdmittedAtUs: 1.5 }), undefined, watched);
    expect(await failure(unwritable.client.getQueue({}))).toMatchObject({ code: 'internal' });
    const inPart = new WeirError('rate_limited', 'Wait.', { retryAfterSeconds: 1.5 });
    await using untold = await start(() => Promise.reject(inPart), undefined, watched);
    expect(await failure(untold.client.getQueue({}))).toMatchObject({ code: 'internal' });
    expect(logged).toEqual([expect.stringContaining('1.5'), expect.stringContaining('1.5')]);
  });

  test('that was called off before is not made', async () => {
    let calls = 0;
    await using it = await start(async () => {
      calls++;
      return {};
    });
    const called = it.client.getQueue({}, { signal: AbortSignal.abort() });
    expect(await failure(called)).toMatchObject({ name: 'AbortError' });
    await it.client.getQueue({});
    expect(calls).toBe(1);
  });

  test.each([
    ['in the turn that it is made in', async () => undefined],
    ['a moment later', () => new Promise((resolve) => setTimeout(resolve, 5))],
  ])('that is called off %s ends at its service too, whatever its time', async (_, wait) => {
    const running = new Set<AbortSignal>();
    await using it = await start(async (signal) => {
      running.add(signal);
      signal.addEventListener('abort', () => running.delete(signal));
      return await new Promise<never>(() => undefined);
    });
    // it connects first
    await failure(it.client.getQueue({}, { timeoutMs: 100 }));
    const caller = new AbortController();
    const called = failure(it.client.getQueue({}, { signal: caller.signal, timeoutMs: 60_000 }));
    await wait();
    caller.abort();
    expect(await called).toMatchObject({ name: 'AbortError' });
    // what was sent has come by then, and so has its end
    await failure(it.client.getQueue({}, { timeoutMs: 100 }));
    await expect.poll(() => running.size).toBe(0);
  });

  test('that is not answered in time is dependency_unavailable, and the handler is told', async () => {
    const aborted = Promise.withResolvers<void>();
    await using it = await start(
      (signal) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            aborted.resolve();
            reject(signal.reason as Error);
          }),
        ),
    );
    const caught = await failure(it.client.getQueue({}, { timeoutMs: 200 }));
    expect(caught.code).toBe('dependency_unavailable');
    expect(caught.retryAfterSeconds).toBe(1);
    await aborted.promise;
  });

  test('to nobody is dependency_unavailable', async () => {
    using client = connect(IngestionServiceDefinition, '127.0.0.1:1');
    const caught = await failure(client.getQueue({}, { timeoutMs: 2000 }));
    expect(caught.code).toBe('dependency_unavailable');
    expect(caught.message).toContain('ingestion');
  });

  test.each([0, 2])('that breaks off with code %s of HTTP/2 and no status is dependency_unavailable', async (code) => {
    let calls = 0;
    const server = createHttp2Server().on('stream', (stream) => {
      calls++;
      stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' });
      stream
        .on('data', () => undefined)
        .on('error', () => undefined)
        .once('end', () => stream.close(code));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    using client = connect(IngestionServiceDefinition, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await failure(client.getQueue({}))).toMatchObject({ code: 'dependency_unavailable' });
    // what may be repeated is, once
    expect(calls).toBe(2);
    expect(await failure(client.beginAttempts({}))).toMatchObject({ code: 'dependency_unavailable' });
    expect(calls).toBe(3);
    server.close();
  });
});

describe('health', () => {
  test('follows readiness', async () => {
    await using ready = await start(() => Promise.resolve({ unfinishedBatches: 0, unfinishedRuns: 0 }));
    expect(await isServing(ready.address)).toBe(true);
    await using broken = await start(
      () => Promise.resolve({ unfinishedBatches: 0, unfinishedRuns: 0 }),
      () => Promise.reject(new Error('no database')),
    );
    expect(await isServing(broken.address)).toBe(false);
    expect(await isServing('127.0.0.1:1')).toBe(false);
  });

  test('says why it does not serve, of what may be told', async () => {
    const of = (error: Error) =>
      start(
        () => Promise.reject(error),
        () => Promise.reject(error),
      );
    await using waiting = await of(unavailable('NATS is not connected', new Error('nats://user:secret@here')));
    expect(await whyNotServing(waiting.address)).toBe('NATS is not connected');
    await using broken = await of(new Error('postgres://user:secret@here is wrong'));
    expect(await whyNotServing(broken.address)).toBe('The line `not ready` of its log says why.');
    expect(await whyNotServing('127.0.0.1:1')).toMatch(/^It cannot be asked: .*ECONNREFUSED/);
  });

  test('is not told before what is needed has answered once', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const address = `127.0.0.1:${(probe.address() as AddressInfo).port}`;
    await once(probe.close(), 'close');
    const first = Promise.withResolvers<string | undefined>();
    const isReady = async () => first.resolve(await whyNotServing(address));
    await using server = await startRpcServer({ listenAddress: address, services: [], isReady, log, drainMs: 0 });
    expect(await first.promise).toBe('It has just begun, and asks what it needs.');
    expect(await isServing(server.address)).toBe(true);
  });
});

test('a stopping server lets a call in flight end', async () => {
  const entered = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const it = await start(async () => {
    entered.resolve();
    await finish.promise;
    return { unfinishedBatches: 3, unfinishedRuns: 3 };
  });
  const answer = it.client.getQueue({});
  await entered.promise;
  const stopping = it.server[Symbol.asyncDispose]();
  finish.resolve();
  await stopping;
  expect((await answer).unfinishedBatches).toBe(3);
  it.client[Symbol.dispose]();
});
