import { randomBytes } from 'node:crypto';
import { parseConfig } from '@weir/kit/config';
import { createLogger } from '@weir/kit/log';
import { testServer } from '@weir/kit/testing';
import { Redis } from 'ioredis';
import { settings } from '../src/config.js';
import { startGateway } from '../src/gateway.js';
import { FakeServices } from './fake-services.js';
import { serveFakes } from './serve-fakes.js';

/** An answer of the gateway: status, headers and parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: ReturnType<typeof JSON.parse>;
  /** Faults as `path code`. */
  readonly faults: readonly string[];
}

/** What a call may carry. */
export interface Call {
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

async function removeKeys(redisUrl: string, prefix: string): Promise<void> {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
}

/** Starts a whole gateway before fakes of the services, with a real Redis. */
export async function startWithFakes(env: Readonly<Record<string, string>> = {}) {
  await using stack = new AsyncDisposableStack();
  const fakes = new FakeServices();
  const served = stack.use(await serveFakes(fakes));
  const redisUrl = testServer('REDIS_URL');
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  stack.defer(() => removeKeys(redisUrl, prefix));
  const config = parseConfig(settings, {
    LISTEN_ADDRESS: '127.0.0.1:0',
    REDIS_URL: redisUrl,
    REDIS_KEY_PREFIX: prefix,
    CURSOR_KEYS: Buffer.alloc(32, 1).toString('base64'),
    UNDECLARED_ANSWERS: 'fail',
    ...served.env,
    ...env,
  });
  const gateway = stack.use(await startGateway(config, createLogger('test', 'silent')));
  const started = stack.move();
  return {
    fakes,
    stopAccess: served.stopAccess,
    url: gateway.url,
    async call(method: string, path: string, { key, headers, body }: Call = {}): Promise<Answer> {
      const response = await fetch(gateway.url + path, {
        method,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const json = await response.json();
      const details: { path: string; code: string }[] = (json as { error?: { details: [] } }).error?.details ?? [];
      const faults = details.map((detail) => `${detail.path} ${detail.code}`);
      return { status: response.status, headers: response.headers, json, faults };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
