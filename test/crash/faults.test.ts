import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { underLoad } from '../history/under-load.js';
import { choicesOf } from '../model/choices.js';

/** A seed decides what is sent, and who is killed when; FAULT_SEED names one to try again. */
const seed = Number(process.env['FAULT_SEED'] ?? 1);

let faults: FaultStack;
beforeAll(async () => {
  faults = await openFaultStack({ processors: 2 });
});
afterAll(() => faults?.[Symbol.asyncDispose]());

test('J1: any process and any server is killed under load, and nothing is lost, twice or wrong', async () => {
  const { stack, servers } = faults;
  const choices = choicesOf(seed);
  const kills: (readonly [string, () => Promise<unknown>])[] = [
    ...['gateway', 'ingestion', 'processor-1', 'processor-2', 'variables', 'access', 'observations'].map(
      (name) => [name, () => stack.kill(name).then(() => stack.restart(name))] as const,
    ),
    ...(['nats', 'redis', 'postgres'] as const).map(
      (name) => [name, () => servers.kill(name).then(() => servers.start(name))] as const,
    ),
  ];
  const verdict = await underLoad(faults, seed, async () => {
    for (const [, kill] of choices.shuffled(kills)) {
      await delay(choices.between(100, 900));
      await kill();
    }
  });
  expect(verdict.violations, `FAULT_SEED=${seed}`).toEqual([]);
  expect(verdict).toMatchObject({ failed: 0 });
  expect(verdict.acknowledged).toBeGreaterThan(0);
});

test('J2: the JetStream store is wiped under load, and the sweeper brings everything back', async () => {
  const { servers } = faults;
  const verdict = await underLoad(faults, seed, async () => {
    await delay(1000);
    await servers.kill('nats');
    await rm(join(servers.directory, 'nats'), { recursive: true });
    await delay(500);
    await servers.start('nats');
    await delay(500);
  });
  expect(verdict.violations, `FAULT_SEED=${seed}`).toEqual([]);
  expect(verdict).toMatchObject({ failed: 0, refused: 0 });
});
