import { type ExportObservationsResponse, ObservationsServiceDefinition } from '@weir/proto/observations';
import { describe, expect, test } from 'vitest';
import { WeirError } from '../errors/index.js';
import { createLogger } from '../log/index.js';
import { connect, served, startRpcServer } from './index.js';

type Piece = Partial<ExportObservationsResponse>;

/** A server whose export streams what a test says. */
async function start(pieces: (signal: AbortSignal) => AsyncGenerator<Piece, void, undefined>) {
  const exportObservations = (_: unknown, { signal }: { signal: AbortSignal }) => pieces(signal);
  // every method of the service is that one: no other is called
  const methods = new Proxy({}, { get: () => exportObservations });
  const server = await startRpcServer({
    listenAddress: '127.0.0.1:0',
    services: [served(ObservationsServiceDefinition, methods as never)],
    isReady: async () => {},
    log: createLogger('test', 'silent'),
    drainMs: 0,
  });
  const client = connect(ObservationsServiceDefinition, server.address, { forStreams: true });
  return {
    client,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const piece = (text: string | Buffer): Piece => ({ text: Buffer.from(text) });

async function collect(pieces: AsyncIterable<Piece>): Promise<string> {
  let all = '';
  for await (const { text } of pieces) all += text?.toString() ?? '';
  return all;
}

describe('a stream', () => {
  test('arrives whole', async () => {
    await using it = await start(async function* () {
      for (const text of ['a', 'b', 'c']) yield piece(text);
    });
    expect(await collect(it.client.exportObservations({}))).toBe('abc');
  });

  test.each([0, 2])('throws the error of the service, as it is, after %i pieces', async (count) => {
    const thrown = new WeirError('query_too_large', 'Ask for less.', {
      details: [{ path: 'query/start', code: 'x', message: 'y' }],
    });
    await using it = await start(async function* () {
      for (let i = 0; i < count; i++) yield piece('a');
      throw thrown;
    });
    const caught = await collect(it.client.exportObservations({})).catch((error: unknown) => error);
    expect(caught).toBeInstanceOf(WeirError);
    expect({ ...(caught as WeirError), message: (caught as WeirError).message }).toEqual({
      ...thrown,
      message: thrown.message,
    });
  });

  test('hides what is no error of ours', async () => {
    await using it = await start(async function* () {
      yield piece('a');
      throw new TypeError('secret detail');
    });
    const caught = await collect(it.client.exportObservations({})).catch((error: unknown) => error);
    expect(caught).toMatchObject({ code: 'internal' });
    expect(String(caught)).not.toContain('secret');
  });

  test('is aborted on both sides when its time is up', async () => {
    const aborted = Promise.withResolvers<void>();
    await using it = await start(async function* (signal) {
      yield piece('a');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      aborted.resolve();
    });
    await expect(collect(it.client.exportObservations({}, { timeoutMs: 200 }))).rejects.toMatchObject({
      code: 'dependency_unavailable',
    });
    await aborted.promise;
  });

  test('ends when a piece does not come in its time, which does not count until it is asked for', async () => {
    await using it = await start(async function* (signal) {
      yield piece('a');
      yield piece('b');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    const pieceTimeoutMs = 1000;
    const pieces = it.client.exportObservations({}, { pieceTimeoutMs })[Symbol.asyncIterator]();
    await pieces.next();
    await new Promise((resolve) => setTimeout(resolve, 2 * pieceTimeoutMs));
    expect(await pieces.next()).toMatchObject({ done: false });
    await expect(pieces.next()).rejects.toMatchObject({ code: 'dependency_unavailable' });
  });

  test('that is called off in the turn that it is begun in ends at its service too', async () => {
    const running = new Set<AbortSignal>();
    await using it = await start(async function* (signal) {
      running.add(signal);
      signal.addEventListener('abort', () => running.delete(signal));
      yield piece('a');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
    });
    const takeFor = (signal: AbortSignal) => collect(it.client.exportObservations({}, { signal }));
    // it connects first
    await expect(takeFor(AbortSignal.timeout(100))).rejects.toThrow();
    const caller = new AbortController();
    const taken = takeFor(caller.signal);
    caller.abort();
    await expect(taken).rejects.toThrow();
    // what was sent has come by then, and so has its end
    await expect(takeFor(AbortSignal.timeout(100))).rejects.toThrow();
    await expect.poll(() => running.size).toBe(0);
  });

  test('a caller that stops taking stops it, and one that leaves ends it', async () => {
    let made = 0;
    const ended = Promise.withResolvers<void>();
    await using it = await start(async function* () {
      try {
        for (;;) {
          made++;
          yield piece(Buffer.alloc(100_000));
          // as a database would: pieces never come in one turn of the loop
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        ended.resolve();
      }
    });
    const pieces = it.client.exportObservations({})[Symbol.asyncIterator]();
    await pieces.next();
    let before = -1;
    for (let i = 0; i < 50 && made !== before; i++) {
      before = made;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(made).toBeLessThan(30);
    await pieces.return?.();
    await ended.promise;
  });
});
