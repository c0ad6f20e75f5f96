import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { runWeir } from '../harness/weir.js';

/** What is asked of each gateway. */
const perSecond = 100;
const gateways = 3;
/** So long a revoked key may still be answered. */
const revokedMs = 1000;

let stack: TestStack;
beforeAll(async () => {
  stack = await openTestStack({
    replicas: gateways,
    envOf: {
      gateway: {
        LIMIT_DEVELOPER_REQUESTS_PER_SECOND: String(10 * gateways * perSecond),
        LIMIT_DEVELOPER_REQUESTS_BURST: String(10 * gateways * perSecond),
        LIMIT_DEVELOPER_CONCURRENT_REQUESTS: '1000',
        // a key that was revoked fails often, which would be answered by 429
        LIMIT_FAILED_CREDENTIALS_BURST: '100000',
      },
    },
  });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

/** A request: when it was sent, and how it was answered. */
interface Asked {
  readonly sentMs: number;
  readonly status: number;
}

/** Asks a gateway at the rate, whether it answers in time or not, until it is told to stop. */
async function askSteadily(url: string, key: string, stop: AbortSignal): Promise<Asked[]> {
  const asked: Promise<Asked>[] = [];
  const beganMs = performance.now();
  const ask = async (): Promise<Asked> => {
    const sentMs = performance.now();
    const answer = await fetch(new URL('/dev-api/v1/permissions', url), {
      headers: { authorization: `Bearer ${key}` },
    });
    await answer.arrayBuffer();
    return { sentMs, status: answer.status };
  };
  while (!stop.aborted) {
    const due = ((performance.now() - beganMs) * perSecond) / 1000;
    while (asked.length < due) asked.push(ask());
    await delay(1000 / perSecond);
  }
  return await Promise.all(asked);
}

test('S1: a key that is revoked by the command line ends within a second at each of three gateways that are asked a hundred times a second', async () => {
  const tenant = await createTenant(stack.addresses.access);
  const other = await createTenant(stack.addresses.access);
  const stop = new AbortController();
  const asking = stack.gatewayUrls.map((url) => askSteadily(url, tenant.developerKey, stop.signal));
  const kept = askSteadily(stack.gatewayUrl, other.developerKey, stop.signal);
  await delay(2000);
  await runWeir(stack.addresses, ['keys', 'revoke', tenant.developerKeyId]);
  const toldMs = performance.now();
  await delay(3 * revokedMs);
  stop.abort();
  for (const answers of await Promise.all(asking)) {
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const last = Math.max(...answers.filter(({ status }) => status === 200).map(({ sentMs }) => sentMs));
    expect(last - toldMs).toBeLessThan(revokedMs);
    const after = answers.filter(({ sentMs }) => sentMs > toldMs + revokedMs);
    expect(after.length).toBeGreaterThan(perSecond);
    process.stdout.write(`last success ${Math.round(last - toldMs)} ms after weir keys revoke had ended\n`);
  }
  expect(new Set((await kept).map(({ status }) => status))).toEqual(new Set([200]));
});
