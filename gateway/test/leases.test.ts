import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { testServer } from '@weir/kit/testing';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { FakeServices } from './fake-services.js';
import { type ForkedGateway, forkGateway } from './fork-gateway.js';
import { serveFakes } from './serve-fakes.js';

/** A request whose body is yet to come: it is in progress, unless it is refused. */
class PendingRequest {
  readonly #socket: Socket;
  readonly #answer: Promise<string>;

  constructor(port: number, key: string) {
    this.#socket = connect({ port, host: '127.0.0.1' });
    this.#socket.on('error', () => undefined);
    this.#answer = new Promise((resolve) => {
      this.#socket.once('data', (chunk) => resolve(String(chunk)));
      this.#socket.once('close', () => resolve(''));
    });
    // that it is let in is told by 100, which comes when the body is wanted
    const head = ['POST /v1/ingest HTTP/1.1', 'Host: weir', `X-API-Key: ${key}`, 'Content-Type: application/json'];
    this.#socket.write(
      `${[...head, 'Content-Length: 100', 'Expect: 100-continue', 'Connection: close'].join('\r\n')}\r\n\r\n`,
    );
  }

  /** Whether it was let in; the answer's code where it was not. */
  async isIn(): Promise<true | string> {
    const text = await this.#answer;
    if (text.startsWith('HTTP/1.1 100')) return true;
    return /"code":"([a-z_]+)"/.exec(text)?.[1] ?? text;
  }

  leave(): void {
    this.#socket.destroy();
  }
}

test('places are shared by gateways, and those of one that is killed are free again within the lease', async () => {
  const fakes = new FakeServices();
  await using stack = new AsyncDisposableStack();
  const { env } = stack.use(await serveFakes(fakes));
  const settings = {
    ...env,
    PATH: process.env['PATH'] ?? '',
    LOG_LEVEL: 'silent',
    REDIS_URL: testServer('REDIS_URL'),
    REDIS_KEY_PREFIX: `test_${randomBytes(6).toString('hex')}`,
    CURSOR_KEYS: Buffer.alloc(32, 1).toString('base64'),
    LIMIT_INGESTION_CONCURRENT_REQUESTS: '6',
  };
  const [one, other] = await Promise.all([forkGateway(settings), forkGateway(settings)]);
  stack.use(one);
  stack.use(other);
  const key = fakes.connectionKey();
  const requests = stack.adopt<PendingRequest[]>([], (all) => {
    for (const request of all) request.leave();
  });
  const ask = async ({ port }: ForkedGateway): Promise<true | string> => {
    const request = new PendingRequest(port, key);
    requests.push(request);
    return await request.isIn();
  };
  const asked = await Promise.all([one, other, one, other, one, other, one, other, one, other].map(ask));
  expect(asked.filter((answer) => answer === true)).toHaveLength(6);
  expect(asked.filter((answer) => answer === 'concurrency_limited')).toHaveLength(4);

  // each was asked for five, so that each holds one at least
  const held = asked.filter((answer, at) => answer === true && at % 2 === 0).length;
  expect(await ask(other)).toBe('concurrency_limited');
  await one.kill();
  // what the dead one held is free, and no more: the other holds the rest still
  await expect.poll(() => ask(other), { timeout: 8000, interval: 200 }).toBe(true);
  for (let freed = 1; freed < held; freed++) expect(await ask(other)).toBe(true);
  expect(await ask(other)).toBe('concurrency_limited');

  const redis = new Redis(testServer('REDIS_URL'));
  stack.defer(async () => void (await redis.quit()));
  // all that is kept of places ends by itself
  for (const kept of await redis.keys(`${settings.REDIS_KEY_PREFIX}:places:*`))
    expect(await redis.pttl(kept)).toBeGreaterThan(0);
});
