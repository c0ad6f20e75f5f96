import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';
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
        LIMIT_INGESTION_REQUESTS_PER_SECOND: String(10 * gateways * perSecond),
        LIMIT_INGESTION_REQUESTS_BURST: String(10 * gateways * perSecond),
        LIMIT_INGESTION_CONCURRENT_REQUESTS: '100000',
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
async function askSteadily(url: string, path: string, key: string, stop: AbortSignal): Promise<Asked[]> {
  const asked: Promise<Asked>[] = [];
  const beganMs = performance.now();
  const ask = async (): Promise<Asked> => {
    const sentMs = performance.now();
    const answer = await fetch(new URL(path, url), {
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

/** What a key opens, however it is taken away. */
interface Taken {
  readonly what: string;
  readonly path: string;
  /** The answer to who has it no longer. */
  readonly refused: number;
  readonly key: (tenant: Tenant) => string;
  /** Arguments of the command line that take it away. */
  readonly args: (tenant: Tenant) => Promise<string[]>;
  /** A key that stays what it was; that of another tenant, where nothing else is told. */
  readonly kept?: (tenant: Tenant) => Promise<string>;
}

const runs = '/v1/ingest/runs?limit=1';
const actor = { type: 'user', id: 'test' };

/** The id of the first secret of a tenant's connection. */
async function firstSecret({ projectId }: Tenant): Promise<string> {
  using access = connect(AccessServiceDefinition, stack.addresses.access);
  const { connections } = await access.listConnections({ projectId, limit: 1 });
  return connections[0]?.secrets[0]?.id ?? '';
}

/** A second secret of a tenant's connection. */
async function secondSecret({ connectionId }: Tenant): Promise<string> {
  using access = connect(AccessServiceDefinition, stack.addresses.access);
  return (await access.rotateConnectionKey({ connectionId, actor })).plaintext;
}

const taken: readonly Taken[] = [
  {
    what: 'a key that is revoked',
    path: '/dev-api/v1/permissions',
    refused: 401,
    key: ({ developerKey }) => developerKey,
    args: async ({ developerKeyId }) => ['keys', 'revoke', developerKeyId],
  },
  {
    what: 'a connection whose secrets are revoked',
    path: runs,
    refused: 401,
    key: ({ ingestionKey }) => ingestionKey,
    args: async ({ connectionId }) => ['connections', 'revoke', connectionId],
  },
  {
    what: 'a secret of a connection that is revoked beside another',
    path: runs,
    refused: 401,
    key: ({ ingestionKey }) => ingestionKey,
    args: async (tenant) => ['connections', 'revoke', tenant.connectionId, '--secret', await firstSecret(tenant)],
    kept: secondSecret,
  },
  {
    what: 'a connection that is disabled',
    path: runs,
    refused: 403,
    key: ({ ingestionKey }) => ingestionKey,
    args: async ({ connectionId }) => ['connections', 'disable', connectionId],
  },
];

test.each(taken)(
  'S1: $what by the command line ends within a second at each of three gateways that are asked a hundred times a second',
  async ({ what, path, refused, key, args, kept }) => {
    const tenant = await createTenant(stack.addresses.access);
    const other = (await kept?.(tenant)) ?? key(await createTenant(stack.addresses.access));
    const command = await args(tenant);
    const stop = new AbortController();
    const asking = stack.gatewayUrls.map((url) => askSteadily(url, path, key(tenant), stop.signal));
    const asked = askSteadily(stack.gatewayUrl, path, other, stop.signal);
    await delay(2000);
    await runWeir(stack.addresses, command);
    const toldMs = performance.now();
    await delay(3 * revokedMs);
    stop.abort();
    for (const answers of await Promise.all(asking)) {
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, refused]));
      const last = Math.max(...answers.filter(({ status }) => status === 200).map(({ sentMs }) => sentMs));
      expect(last - toldMs).toBeLessThan(revokedMs);
      const after = answers.filter(({ sentMs }) => sentMs > toldMs + revokedMs);
      expect(after.length).toBeGreaterThan(perSecond);
      process.stdout.write(`${what}: last success ${Math.round(last - toldMs)} ms after weir had ended\n`);
    }
    expect(new Set((await asked).map(({ status }) => status))).toEqual(new Set([200]));
  },
);
