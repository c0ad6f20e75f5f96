import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { servingProcesses } from '@weir/stack';
import { expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { projectApiOf } from '../harness/project-api.js';
import type { Sending } from '../history/device.js';
import { underLoad } from '../history/under-load.js';
import { choicesOf } from '../model/choices.js';

const minutes = Number(process.env['SOAK_MINUTES'] ?? 1);
const seed = Number(process.env['SOAK_SEED'] ?? 1);
/** A load that leaves the machine room for starting processes again. */
const load = { devices: 6, pointsMax: 60, pauseMs: 400 };
const killsAMinute = 3;
const victims = [...servingProcesses, 'processor-1', 'processor-2'];
const servers = ['nats', 'redis', 'postgres'] as const;
/** Resident memory of a process late in the soak, against early in it. */
const memoryGrowthMax = 1.5;

const megabyte = 1024 * 1024;
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Resident bytes of every process of the stack. */
async function memoryOf({ stack }: FaultStack): Promise<Map<string, number>> {
  const sizes = stack.processes.map(async ({ name, pid }): Promise<[string, number]> => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return [name, Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024];
  });
  return new Map(await Promise.all(sizes));
}

/** Reads what devices send, as clients do that plot it. */
async function readOn({ gatewayUrl, tenant }: Sending, stop: AbortSignal): Promise<void> {
  const project = projectApiOf(gatewayUrl, tenant);
  while (!stop.aborted) {
    const variables = await project.call('GET', '/variables').catch(() => undefined);
    for (const { id } of variables?.data?.items ?? []) {
      await project.call('GET', `/observations?variable_id=${id}&order=desc&limit=1000`).catch(() => undefined);
      await project.call('GET', `/observations/latest?variable_id=${id}`).catch(() => undefined);
    }
    await delay(500);
  }
}

async function killOne(faults: FaultStack, name: string): Promise<void> {
  const isServer = servers.some((server) => server === name);
  const group = isServer ? faults.servers.group : faults.stack;
  await group.kill(name, name === 'postgres' ? 'SIGQUIT' : 'SIGKILL');
  await group.restart(name);
}

test(
  `soak of ${minutes} minutes (SOAK_SEED=${seed})`,
  async () => {
    await using faults = await openFaultStack({ processors: 2 });
    const memory: Map<string, number>[] = [];
    const sum = { points: 0, kills: 0, refused: 0 };
    for (let minute = 1; minute <= minutes; minute++) {
      const choices = choicesOf(seed + minute);
      const killed: string[] = [];
      const verdict = await underLoad(
        faults,
        seed + minute,
        async (sending) => {
          const stop = new AbortController();
          const reading = readOn(sending, stop.signal);
          for (let kill = 0; kill < killsAMinute; kill++) {
            await delay(60_000 / killsAMinute);
            memory.push(await memoryOf(faults));
            killed.push(choices.oneOf([...victims, ...servers]));
            await killOne(faults, killed.at(-1) ?? '');
          }
          stop.abort();
          await reading;
        },
        load,
      );
      sum.points += verdict.acknowledged;
      sum.kills += killed.length;
      sum.refused += verdict.refused;
      const sizes = [...(memory.at(-1) ?? [])].map(([name, bytes]) => `${name} ${Math.round(bytes / megabyte)}`);
      say(`minute ${minute}: ${verdict.acknowledged} points, killed ${killed.join(', ')}; MB: ${sizes.join(', ')}`);
      for (const violation of verdict.violations) say(`  ${violation}`);
      expect(verdict.violations, `SOAK_SEED=${seed}, minute ${minute}`).toEqual([]);
      expect(verdict.failed, `SOAK_SEED=${seed}, minute ${minute}`).toBe(0);
    }
    say(
      `${sum.points} points in ${minutes} minutes, ${sum.kills} kills: 0 lost, 0 twice, 0 failed, ` +
        `${sum.refused} tries refused and sent again`,
    );
    const third = Math.ceil(memory.length / 3);
    const most = (part: readonly Map<string, number>[], name: string) =>
      Math.max(...part.map((sizes) => sizes.get(name) ?? 0));
    for (const name of memory[0]?.keys() ?? []) {
      const [early, late] = [most(memory.slice(0, third), name), most(memory.slice(-third), name)];
      say(`${name}: at most ${Math.round(early / megabyte)} MB early, ${Math.round(late / megabyte)} MB late`);
      if (minutes >= 5) expect(late / early, name).toBeLessThan(memoryGrowthMax);
    }
  },
  minutes * 240_000 + 300_000,
);
