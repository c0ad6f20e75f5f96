import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { createLogger } from '../src/log/index.js';
import { connect, served, startRpcServer } from '../src/rpc/index.js';

test('a call that is in flight for longer than a service takes to stop is called off', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const method = (_request: unknown, { signal }: { readonly signal: AbortSignal }) =>
    new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      begun.resolve(signal);
    });
  const server = await startRpcServer({
    listenAddress: '127.0.0.1:0',
    services: [served(IngestionServiceDefinition, new Proxy({}, { get: () => method }) as never)],
    isReady: async () => {},
    log: createLogger('test', 'silent'),
    drainMs: 0,
  });
  using client = connect(IngestionServiceDefinition, server.address);
  const call = client.getQueue({}, { timeoutMs: 60_000 });
  call.catch(() => undefined);
  const signal = await begun.promise;
  await server[Symbol.asyncDispose]();
  expect(signal.aborted).toBe(true);
  await expect(call).rejects.toThrow();
  // as long as a process has to stop: without an end of its calls it would be ended before its work is
}, 20_000);
