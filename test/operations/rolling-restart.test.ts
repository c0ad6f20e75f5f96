import { setTimeout as delay } from 'node:timers/promises';
import { servingProcesses } from '@weir/stack';
import { expect, test } from 'vitest';
import { type Balancer, startBalancer } from '../harness/balancer.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { type Requests, sendSteadily } from '../harness/steady-requests.js';
import { underLoad } from '../history/under-load.js';

/** Traffic goes on coming to a stopping pod for so long: what told it to stop does not wait for the network to know. */
const lateMs = 1000;
/** So long it goes on serving. */
const drainMs = 2000;

/** Stops one process as Kubernetes does, and starts it again. */
async function roll({ stack }: FaultStack, balancer: Balancer, name: string): Promise<void> {
  const process = stack.process(name);
  const gateway = name.startsWith('gateway') ? `http://${process.address}` : undefined;
  const all = balancer.targets;
  const others = all.filter((url) => url !== gateway);
  const noticed = delay(lateMs).then(() => {
    balancer.targets = others;
  });
  await stack.kill(name, 'SIGTERM');
  expect(await process.exited, name).toEqual({ code: 0, signal: null });
  await noticed;
  await stack.restart(name);
  await stack.ready();
  balancer.targets = all;
}

test('H18: every process is restarted in turn under load, and no request fails, no point is lost and nothing is done twice', async () => {
  const env = { DRAIN_MS: String(drainMs) };
  await using faults = await openFaultStack({ replicas: 2, processors: 2, env });
  await using balancer = await startBalancer(faults.stack.gatewayUrls);
  const seen: Requests[] = [];
  const stack = { ...faults.stack, gatewayUrl: balancer.url };
  const verdict = await underLoad({ ...faults, stack }, 18, async ({ tenant }) => {
    const stop = new AbortController();
    const clients = Array.from({ length: 3 }, () => sendSteadily(balancer.url, tenant, stop.signal));
    for (const kind of ['processor-1', 'processor-2', ...servingProcesses]) {
      await roll(faults, balancer, kind);
      if (!kind.startsWith('processor')) await roll(faults, balancer, `${kind}-2`);
    }
    stop.abort();
    seen.push(...(await Promise.all(clients)));
  });
  expect(verdict.violations).toEqual([]);
  const answers = verdict.history.sent.flatMap(({ answers: tries }) => tries);
  expect(seen.flatMap(({ refusals }) => refusals)).toEqual([]);
  expect([...new Set(answers.map(({ status }) => status))].filter((status) => status >= 400)).toEqual([]);
  const resets = seen.reduce((sum, one) => sum + one.resets, 0);
  const broken = answers.filter(({ status }) => status === 0).length;
  process.stdout.write(
    `H18: ${answers.length} submissions (${broken} sent again after a reset), ${seen
      .flatMap(({ statuses }) => [...statuses.values()])
      .reduce((sum, count) => sum + count, 0)} other requests (${resets} resets)\n`,
  );
}, 600_000);
