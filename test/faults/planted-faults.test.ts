import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { underLoad } from '../history/under-load.js';
import { killInTheMiddle, nothing, type PlantedBug, plantedLoad, testPlanted } from './planted.js';

let planting: Planting;
let faults: FaultStack;
beforeAll(async () => {
  planting = openPlanting();
  faults = await openFaultStack({ envOf: planting.envOf });
});
afterAll(async () => {
  await faults?.[Symbol.asyncDispose]();
  planting[Symbol.dispose]();
});

/** Those that take long to show; test/crash/faults.test.ts has others. */
const bugs: readonly PlantedBug[] = [
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
];

testPlanted(bugs, () => ({ planting, faults }));

test('J12: a message id that stays the same when the sweeper publishes again is found out', async () => {
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
