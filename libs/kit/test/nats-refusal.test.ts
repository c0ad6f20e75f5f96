import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { createLogger } from '../src/log/index.js';
import { connectNats, followNats } from '../src/nats/index.js';
import { hasNatsServer, PrivateNats } from '../src/testing/index.js';

const refusal = /authorization/i;

/** Reasons that a log was told, in order. */
function toldLog() {
  const log = createLogger('test', 'silent');
  const warn = vi.spyOn(log, 'warn');
  const reasons = (): string[] =>
    warn.mock.calls.flatMap(([told]) => (told as unknown as { err?: Error }).err?.message ?? []);
  return { log, reasons };
}

/** A server that lets in one user, by the password that it was started with last. */
async function withPassword(password: string) {
  await using made = new AsyncDisposableStack();
  const nats = made.use(await PrivateNats.start(password));
  const url = nats.url.replace('//', '//weir:right@');
  const restart = async (next: string): Promise<void> => {
    await nats.kill();
    nats.start(next);
  };
  const stack = made.move();
  return { url, restart, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test.skipIf(!hasNatsServer)('a password that NATS refuses is tried until it is let in, and told once', async () => {
  await using nats = await withPassword('wrong');
  const { log, reasons } = toldLog();
  const connecting = connectNats(nats.url, 'test', { log });
  await vi.waitUntil(() => reasons().some((reason) => refusal.test(reason)), 20_000);
  // refused several times more
  await delay(1500);
  expect(reasons().filter((reason) => refusal.test(reason))).toHaveLength(1);
  await nats.restart('right');
  const connection = await connecting;
  await connection.flush();
  await connection.close();
});

test.skipIf(!hasNatsServer)('a connection outlives refusals, however many', async () => {
  await using nats = await withPassword('right');
  const { log, reasons } = toldLog();
  const connection = await connectNats(nats.url, 'test', { log });
  const changes: boolean[] = [];
  const followed = followNats(connection, log, (isConnected) => changes.push(isConnected));
  let refusals = 0;
  void (async () => {
    for await (const { type } of connection.status()) if (type === 'error') refusals++;
  })();
  await nats.restart('wrong');
  await vi.waitUntil(() => refusals >= 3, 20_000);
  await nats.restart('right');
  await vi.waitUntil(() => changes.length === 2, 20_000);
  expect(changes).toEqual([false, true]);
  expect(reasons().filter((reason) => refusal.test(reason))).toHaveLength(1);
  await connection.flush();
  await connection.close();
  await followed;
});

test('one that nobody waits for any more is not tried', async () => {
  const { log, reasons } = toldLog();
  const ended = new AbortController();
  const connecting = connectNats('nats://127.0.0.1:1', 'test', { log, signal: ended.signal });
  await vi.waitUntil(() => reasons().length === 1, 20_000);
  ended.abort(new Error('stopped'));
  await expect(connecting).rejects.toThrow('stopped');
});
