import { randomBytes } from 'node:crypto';
import { parseConfig } from '@weir/kit/config';
import { createLogger } from '@weir/kit/log';
import { testServer } from '@weir/kit/testing';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import type { DeveloperPrincipal } from '../src/http/operation.js';
import { startLimiter } from '../src/limits/limiter.js';
import { limitSettings } from '../src/limits/settings.js';

const log = createLogger('test', 'silent');
export const redisUrl = testServer('REDIS_URL');
/** Of the keys in Redis of this file's limiters; they are deleted after its tests. */
export const prefix = `test_${randomBytes(6).toString('hex')}`;

afterAll(async () => {
  const redis = new Redis(redisUrl);
  const keys = await redis.keys(`${prefix}:*`);
  if (keys.length > 0) await redis.del(keys);
  await redis.quit();
});

let keys = 0;

/** A key that was not used before. */
export const somebody = (): DeveloperPrincipal => ({
  kind: 'developer',
  organizationId: 'o',
  projectId: 'p',
  keyId: `key-${++keys}`,
  keyName: 'n',
  permissions: [],
  createdAtUs: 0,
  expiresAtUs: undefined,
});

/** Starts a limiter, as a gateway does. */
export function start(env: Readonly<Record<string, string>>) {
  return startLimiter(parseConfig(limitSettings, { REDIS_URL: redisUrl, REDIS_KEY_PREFIX: prefix, ...env }), log);
}

export type Limiter = Awaited<ReturnType<typeof start>>;
