import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, startTcpProxy, type TcpProxy } from '@weir/kit/testing';
import { newAddresses } from '@weir/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { projectApiOf } from '../harness/project-api.js';
import { underLoad } from '../history/under-load.js';
import { seed } from './seed.js';

/** Every link of the stack that points take, by what is at its far end. */
const links = ['postgres', 'nats', 'redis', 'access', 'variables', 'ingestion'] as const;
type LinkName = (typeof links)[number];

const faultsOf: readonly (readonly [Fault, ms: number])[] = [
  [{ kind: 'latency', ms: 500 }, 4000],
  [{ kind: 'reset' }, 3000],
  [{ kind: 'black-hole' }, 4000],
  [{ kind: 'half-open' }, 4000],
];
/** No answer takes longer, whatever link is at fault: the deadline of a request is 30 s, those of its calls are shorter. */
const answerMsMax = 16_000;

const proxies = new Map<LinkName, TcpProxy>();
const proxyOf = (name: LinkName): TcpProxy => proxies.get(name) as TcpProxy;
const through = (url: string, name: LinkName): string => {
  const parsed = new URL(url);
  proxyOf(name).target = parsed.host;
  parsed.host = proxyOf(name).address;
  return parsed.href;
};

let faults: FaultStack;
beforeAll(async () => {
  for (const name of links) proxies.set(name, await startTcpProxy());
  const behind = await newAddresses();
  for (const name of ['access', 'variables', 'ingestion'] as const) proxyOf(name).target = behind[name];
  const addresses = {
    ACCESS_ADDRESS: proxyOf('access').address,
    VARIABLES_ADDRESS: proxyOf('variables').address,
    INGESTION_ADDRESS: proxyOf('ingestion').address,
  };
  faults = await openFaultStack({
    processors: 2,
    envOf: { gateway: addresses, processor: addresses },
    urlsOf: ({ databaseUrl, natsUrl, redisUrl }) => ({
      databaseUrl: through(databaseUrl, 'postgres'),
      natsUrl: through(natsUrl, 'nats'),
      redisUrl: through(redisUrl, 'redis'),
    }),
    addresses: behind,
  });
});
afterAll(async () => {
  await faults?.[Symbol.asyncDispose]();
  for (const proxy of proxies.values()) await proxy[Symbol.asyncDispose]();
});

test.each(links)(`J8: the link to %s is slow, reset, a black hole, half open (FAULT_SEED=${seed})`, async (name) => {
  const proxy = proxyOf(name);
  const { history, ...verdict } = await underLoad(faults, seed, async ({ gatewayUrl, tenant }) => {
    for (const [fault, ms] of faultsOf) {
      proxy.begin(fault);
      await delay(ms);
      proxy.begin({ kind: 'none' });
      await delay(500);
    }
    // a connection between services that leads nowhere is left after 35 s; until then what is asked over it is refused
    const project = projectApiOf(gatewayUrl, tenant);
    while ((await project.call('GET', '/variables?limit=1')).status !== 200) await delay(500);
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0 });
  const answers = history.sent.flatMap((request) => request.answers);
  expect(Math.max(...answers.map(({ sentMs, endedMs }) => endedMs - sentMs))).toBeLessThan(answerMsMax);
  expect(new Set(answers.map(({ status }) => status))).not.toContain(0);
  // limits and the stream are not needed to admit
  if (name === 'redis' || name === 'nats') expect(verdict.refused).toBe(0);
});
