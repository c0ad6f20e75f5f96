import { setTimeout as delay } from 'node:timers/promises';
import { servingProcesses } from '@weir/stack';
import { expect, test } from 'vitest';
import { type Balancer, startBalancer } from '../harness/balancer.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { type Requests, sendSteadily } from '../harness/steady-requests.js';
import type { Tenant } from '../harness/tenant.js';
import type { Answer } from '../history/history.js';
import { underLoad } from '../history/under-load.js';

/** Traffic goes on coming to a stopping pod for so long: what told it to stop does not wait for the network to know. */
const lateMs = 1000;
/** So long it goes on serving. */
const drainMs = 2000;
/** So long nothing is restarted, to know how long requests take then. */
const steadyMs = 20_000;
/** How much slower the slowest hundredth may be while processes are restarted. */
const slowerMax = 3;

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

/** What became of the requests of three clients that sent while something was done. */
async function sendDuring(work: () => Promise<void>, url: string, tenant: Tenant): Promise<Requests[]> {
  const stop = new AbortController();
  const clients = Array.from({ length: 3 }, () => sendSteadily(url, tenant, stop.signal));
  await work();
  stop.abort();
  return await Promise.all(clients);
}

/** What 99 of 100 requests took at most, in milliseconds. */
function p99Of(seen: readonly Requests[]): number {
  const times = seen.flatMap((one) => one.times).sort((a, b) => a - b);
  return times[Math.floor(times.length * 0.99)] ?? Number.NaN;
}

test('H18: every process is restarted in turn under load, and no request fails or is slow, no point is lost and nothing is done twice', async () => {
  const env = { DRAIN_MS: String(drainMs) };
  await using faults = await openFaultStack({ replicas: 2, processors: 2, env });
  await using balancer = await startBalancer(faults.stack.gatewayUrls);
  let steady: Requests[] = [];
  let rolled: Requests[] = [];
  const stack = { ...faults.stack, gatewayUrl: balancer.url };
  const verdict = await underLoad({ ...faults, stack }, 18, async ({ tenant }) => {
    steady = await sendDuring(() => delay(steadyMs), balancer.url, tenant);
    const rollAll = async (): Promise<void> => {
      for (const kind of ['processor-1', 'processor-2', ...servingProcesses]) {
        await roll(faults, balancer, kind);
        if (!kind.startsWith('processor')) await roll(faults, balancer, `${kind}-2`);
      }
    };
    rolled = await sendDuring(rollAll, balancer.url, tenant);
  });
  expect(verdict.violations).toEqual([]);
  expect(verdict.failed).toBe(0);
  // every request ended with a success, and until then nothing went wrong but what it may be repeated after
  expect([...steady, ...rolled].flatMap(({ failures }) => failures)).toEqual([]);
  const { sent } = verdict.history;
  expect(sent.filter(({ answers }) => answers.at(-1)?.status !== 200)).toEqual([]);
  const answers = sent.flatMap(({ answers: tries }) => tries);
  // all points are sent under keys
  const isRepeatable = ({ status, failure }: Answer): boolean => status === 200 || failure === 'reset';
  expect(answers.filter((answer) => !isRepeatable(answer))).toEqual([]);
  const resets = rolled.reduce((sum, one) => sum + one.resets, 0);
  const repeated = answers.filter(({ failure }) => failure === 'reset').length;
  const requests = rolled.reduce((sum, one) => sum + one.times.length, 0);
  const [steadyP99, rolledP99] = [p99Of(steady), p99Of(rolled)];
  process.stdout.write(
    `H18: ${answers.length} submissions (${repeated} sent again after a reset), ${requests} other requests while processes restarted (${resets} resets); p99 ${steadyP99.toFixed(0)} ms before, ${rolledP99.toFixed(0)} ms meanwhile\n`,
  );
  expect(rolledP99 / steadyP99).toBeLessThanOrEqual(slowerMax);
}, 600_000);
