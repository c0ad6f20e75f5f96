import { expect, test } from 'vitest';
import { underLoad } from '../history/under-load.js';
import { killInTheMiddle, nothing, plantedLoad, testPlanted } from './planted.js';

const stack = testPlanted([
  {
    bug: 'answer-before-commit',
    while: 'ingestion is killed',
    nemesis: killInTheMiddle('ingestion'),
    tells: /^I1: key .* is not there$/,
  },
  {
    bug: 'complete-before-store',
    while: 'a processor is killed',
    nemesis: killInTheMiddle('processor-1'),
    tells: /^I3: .* is lost, not/,
  },
  {
    bug: 'compute-nothing',
    while: 'nothing happens',
    nemesis: nothing,
    tells: /^I3: logger-., calculated at .* is lost, not/,
  },
  {
    bug: 'count-too-many',
    while: 'nothing happens',
    nemesis: nothing,
    tells: /^I5: .* runs were counted as admitted, and .* are$/,
  },
]);

test('J12: a message id that stays the same when the sweeper publishes again is found out', async () => {
  const { planting, faults } = stack();
  {
    using _ = planting.plant('fixed-message-id');
    const loaded = underLoad(faults, 1, () => faults.loseMessages(), { ...plantedLoad, settleMs: 4000 });
    await expect(loaded).rejects.toThrow(/runs of .* batches are queued after/);
  }
  await faults.settled();
  // the same without the bug
  const { violations } = await underLoad(faults, 2, () => faults.loseMessages(), plantedLoad);
  expect(violations).toEqual([]);
});
