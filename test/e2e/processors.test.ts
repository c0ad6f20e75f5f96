import { describe, test } from 'vitest';
import { openTestStack } from '../harness/stack.js';
import { checkVolume, sendVolume } from '../harness/volume.js';

describe('200 batches of 1,000 points from 8 connections: every run ends, no loss, no duplicate', () => {
  test.each([1, 2, 4])('with %i processors', async (processors) => {
    await using stack = await openTestStack({ processors });
    const volume = await sendVolume(stack, 200);
    await stack.drained();
    await checkVolume(volume);
  });
});
