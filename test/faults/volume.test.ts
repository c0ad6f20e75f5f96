import { setTimeout as delay } from 'node:timers/promises';
import { describe, test } from 'vitest';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { checkVolume, sendVolume } from '../harness/volume.js';

/** How long the processes are let work between kills: long enough that clients can connect again. */
const pauseMs = 1500;

/** Messages that a killed processor had in hand go to another one sooner than in production. */
const envOf = { processor: { ACK_WAIT_MS: '5000' } };

/** Kills each named process with -9 and starts it again, one after the other, so many times. */
async function killInTurn(stack: TestStack, names: readonly string[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      await delay(pauseMs);
      await stack.killAndRestart(name);
    }
  }
}

describe('killed with -9 under load: every acknowledged point becomes exactly one observation', () => {
  test.each([
    { what: 'a processor', processors: 2, names: ['processor-1'], rounds: 3 },
    { what: 'the ingestion service', processors: 1, names: ['ingestion'], rounds: 3 },
    {
      what: 'every processor in turn',
      processors: 4,
      names: ['processor-1', 'processor-2', 'processor-3', 'processor-4'],
      rounds: 1,
    },
    {
      what: 'every service in turn',
      processors: 2,
      names: ['ingestion', 'processor-1', 'variables', 'access', 'gateway'],
      rounds: 1,
    },
  ])('J1: $what', async ({ processors, names, rounds }) => {
    await using stack = await openTestStack({ processors, envOf });
    const volume = await sendVolume(stack, 200, killInTurn(stack, names, rounds));
    await stack.drained();
    await checkVolume(volume);
  });
});
