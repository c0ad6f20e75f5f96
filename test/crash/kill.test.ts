import { describe, test } from 'vitest';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { checkVolume, sendVolume } from '../harness/volume.js';

/** How long the processes are let work between kills: long enough that clients can connect again. */
const pauseMs = 1500;

/** Kills each named process with -9 and starts it again, again and again while the load lasts. */
async function killWhile(load: Promise<unknown>, stack: TestStack, names: readonly string[]): Promise<number> {
  let isLoaded = true;
  const ended = load.finally(() => {
    isLoaded = false;
  });
  let kills = 0;
  while (isLoaded) {
    for (const name of names) {
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
      if (!isLoaded) break;
      await stack.killAndRestart(name);
      kills++;
    }
  }
  return kills;
}

describe('killed with -9 under load: every acknowledged point becomes exactly one observation', () => {
  test.each([
    { what: 'a processor', processors: 2, names: ['processor-1'] },
    {
      what: 'every processor in turn',
      processors: 4,
      names: ['processor-1', 'processor-2', 'processor-3', 'processor-4'],
    },
    { what: 'the ingestion service', processors: 1, names: ['ingestion'] },
    {
      what: 'every service in turn',
      processors: 2,
      names: ['ingestion', 'processor-1', 'variables', 'access', 'gateway'],
    },
  ])('$what', async ({ processors, names }) => {
    await using stack = await openTestStack({ processors });
    const load = sendVolume(stack, 200);
    const kills = await killWhile(load, stack, names);
    const volume = await load;
    await stack.drained();
    await checkVolume(volume);
    if (kills < 2) throw new Error(`only ${kills} kills: the load was over too soon to prove anything`);
  });
});
