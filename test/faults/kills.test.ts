import { setTimeout as delay } from 'node:timers/promises';
import { servingProcesses } from '@weir/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { underLoad } from '../history/under-load.js';
import { choicesOf } from '../model/choices.js';
import { seed } from './seed.js';

const processes = [...servingProcesses, 'processor-1', 'processor-2'];
const servers = ['nats', 'redis', 'postgres'] as const;
const named = `FAULT_SEED=${seed}`;

let faults: FaultStack;
beforeAll(async () => {
  faults = await openFaultStack({ processors: 2 });
});
afterAll(() => faults?.[Symbol.asyncDispose]());

test(`J1: 30 kills at random, also of what is just being started again (${named})`, async () => {
  const choices = choicesOf(seed);
  const verdict = await underLoad(faults, seed, async () => {
    for (let kill = 0; kill < 30; kill++) {
      await delay(choices.between(0, 1200));
      const name = choices.oneOf([...processes, ...servers]);
      const server = servers.find((one) => one === name);
      const group = server === undefined ? faults.stack : faults.servers.group;
      await group.kill(name, server === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
      await delay(choices.between(0, 800));
      await group.restart(name);
    }
  });
  expect(verdict.violations).toEqual([]);
  expect(verdict.failed).toBe(0);
  expect(verdict.read).toBeGreaterThan(0);
});

test(`J1: everything is stopped at once and started again in any order (${named})`, async () => {
  const choices = choicesOf(seed + 1);
  const verdict = await underLoad(faults, seed + 1, async () => {
    await delay(1000);
    const all = choices.shuffled([...processes, ...servers]);
    const groupOf = (name: string) => (servers.some((server) => server === name) ? faults.servers.group : faults.stack);
    await Promise.all(all.map((name) => groupOf(name).kill(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL')));
    for (const name of all) {
      await groupOf(name).restart(name);
    }
    await delay(1000);
  });
  expect(verdict.violations).toEqual([]);
  expect(verdict.failed).toBe(0);
  expect(verdict.read).toBeGreaterThan(0);
});
