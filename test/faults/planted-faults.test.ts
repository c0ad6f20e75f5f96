import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { underLoad } from '../history/under-load.js';

/** Without corrections: a correction of a point that was lost would cover its loss. */
const load = { devices: 3, corrections: 0 };
/** How long each fault has to show. */
const loadMs = 700;

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

const killInTheMiddle = (name: string) => async (): Promise<void> => {
  await delay(loadMs);
  await planting.moment();
  await faults.stack.kill(name);
  await faults.stack.restart(name);
  await delay(loadMs);
};
const nothing = (): Promise<void> => delay(2 * loadMs);

test.each([
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
  { bug: 'admit-twice', while: 'requests are repeated', nemesis: nothing, tells: /^I2: key .* was admitted 2 times$/ },
  { bug: 'lose-a-point', while: 'nothing happens', nemesis: nothing, tells: /^I3: logger-. at .* is lost, not/ },
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
])('J12: $bug, while $while, is found out', async ({ bug, nemesis, tells }) => {
  using _ = planting.plant(bug);
  const { violations } = await underLoad(faults, 1, nemesis, load);
  expect(violations).toContainEqual(expect.stringMatching(tells));
});

test('J12: a message id that stays the same when the sweeper publishes again is found out', async () => {
  {
    using _ = planting.plant('fixed-message-id');
    const loaded = underLoad(faults, 1, () => faults.loseMessages(), { ...load, settleMs: 4000 });
    await expect(loaded).rejects.toThrow(/runs of .* batches are queued after/);
  }
  await faults.settled();
  // the same without the bug
  const { violations } = await underLoad(faults, 2, () => faults.loseMessages(), load);
  expect(violations).toEqual([]);
});
