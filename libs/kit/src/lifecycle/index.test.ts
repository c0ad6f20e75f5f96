import { expect, test } from 'vitest';
import { prometheusText } from '../metrics/prometheus.js';
import { startLoop } from './index.js';

test('a loop works again when woken, survives a failing round, and stops after the round in progress', async () => {
  const errors: unknown[] = [];
  const rounds: PromiseWithResolvers<void>[] = Array.from({ length: 3 }, () => Promise.withResolvers());
  let round = 0;
  const loop = startLoop({
    name: undefined,
    intervalMs: 1_000_000,
    work: async () => {
      rounds[round++]?.resolve();
      if (round === 1) throw new Error('first');
    },
    onError: (error) => errors.push(error),
  });
  await rounds[0]?.promise;
  loop.wake();
  await rounds[1]?.promise;
  await loop[Symbol.asyncDispose]();
  expect(round).toBe(2);
  expect(errors).toHaveLength(1);
  await loop[Symbol.asyncDispose]();
});

test('a wake during a round makes the next one begin at once', async () => {
  const second = Promise.withResolvers<void>();
  let round = 0;
  const loop = startLoop({
    name: undefined,
    intervalMs: 1_000_000,
    work: async () => {
      round++;
      if (round === 1) loop.wake();
      if (round === 2) second.resolve();
      await Promise.resolve();
    },
    onError: () => undefined,
  });
  await second.promise;
  await loop[Symbol.asyncDispose]();
  expect(round).toBe(2);
});

test('metrics tell whether the last round of a loop failed', async () => {
  let isBroken = true;
  let round = Promise.withResolvers<void>();
  const loop = startLoop({
    name: 'rollups',
    intervalMs: 1_000_000,
    work: async () => {
      await Promise.resolve();
      if (isBroken) throw new Error('broken');
      round.resolve();
    },
    onError: () => round.resolve(),
  });
  const told = async () => {
    await round.promise;
    return /^weir_process_loop_failing\{weir_loop="rollups"\} (\d)$/m.exec(await prometheusText())?.[1];
  };
  expect(await told()).toBe('1');
  isBroken = false;
  round = Promise.withResolvers();
  loop.wake();
  expect(await told()).toBe('0');
  // another loop of the name does not hide it
  isBroken = true;
  round = Promise.withResolvers();
  loop.wake();
  const well = Promise.withResolvers<void>();
  await using _ = startLoop({
    name: 'rollups',
    intervalMs: 1_000_000,
    work: async () => well.resolve(),
    onError: () => undefined,
  });
  await well.promise;
  expect(await told()).toBe('1');
  await loop[Symbol.asyncDispose]();
});
