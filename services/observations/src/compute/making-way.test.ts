import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MakingWay } from './making-way.js';

const partMs = 20;

/** How long a part takes, with its rest. */
async function timed(makingWay: MakingWay, signal: AbortSignal, comes: boolean, rests?: number): Promise<number> {
  const startedMs = performance.now();
  const part = async () => {
    await delay(partMs);
    if (comes) makingWay.pointsCame();
    return 'done';
  };
  const done = await makingWay.during(signal, part, rests);
  expect(done).toBe('done');
  return performance.now() - startedMs;
}

test('rests for as long as it worked when points came meanwhile', async () => {
  expect(await timed(new MakingWay(), new AbortController().signal, true)).toBeGreaterThan(2 * partMs - 2);
});

test('rests for several times as long where it is told to', async () => {
  expect(await timed(new MakingWay(), new AbortController().signal, true, 3)).toBeGreaterThan(4 * partMs - 4);
});

test('rests after a part that points came a moment before', async () => {
  const makingWay = new MakingWay();
  makingWay.pointsCame();
  expect(await timed(makingWay, new AbortController().signal, false)).toBeGreaterThan(2 * partMs - 2);
});

test('goes on at once when none came, or they came long before', async () => {
  const makingWay = new MakingWay();
  makingWay.pointsCame();
  await delay(150);
  let isResting = true;
  const resting = makingWay
    .during(new AbortController().signal, () => Promise.resolve())
    .then(() => (isResting = false));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isResting).toBe(false);
  await resting;
});

test('does not rest when it is to stop', async () => {
  expect(await timed(new MakingWay(), AbortSignal.abort(), true)).toBeGreaterThan(partMs - 2);
});
