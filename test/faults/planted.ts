import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FaultStack } from '../harness/fault-stack.js';
import type { Planting } from '../harness/planting.js';
import type { Sending } from '../history/device.js';
import { underLoad } from '../history/under-load.js';

/** Without corrections: a correction of a point that was lost would cover its loss. */
export const plantedLoad = { devices: 3, corrections: 0 };
/** How long a fault has to show. */
const loadMs = 700;
/** So many reads, or more, show one that is of reads. */
const readsMin = 15;

/** A stack with a bug, or several. */
export interface PlantedStack {
  readonly planting: Planting;
  readonly faults: FaultStack;
}

/** A bug, and what happens while it is there. */
export interface PlantedBug {
  readonly bug: string;
  readonly while: string;
  readonly nemesis: (stack: PlantedStack, bug: string, sending: Sending) => Promise<void>;
  /** The violation that must be told. */
  readonly tells: RegExp;
  /** Whether the nemesis plants it: what is read in the end is sound then. */
  readonly isMeanwhile?: boolean;
}

/** Lets the load go on for a moment. */
export const nothing = (): Promise<void> => delay(2 * loadMs);

/** Has a bug be there while devices are read, and no longer. */
export async function whileReading({ planting }: PlantedStack, bug: string, { history }: Sending): Promise<void> {
  await delay(loadMs);
  using _ = planting.plant(bug);
  const before = history.reads.length;
  while (history.reads.length < before + readsMin) await delay(20);
}

/** Kills a process when a bug says that now is the moment. */
export const killInTheMiddle =
  (name: string) =>
  async ({ planting, faults }: PlantedStack): Promise<void> => {
    await delay(loadMs);
    await planting.moment();
    await faults.stack.kill(name);
    await faults.stack.restart(name);
    await delay(loadMs);
  };

/** J12: plants each bug into a stack, one after the other. */
export function testPlanted(bugs: readonly PlantedBug[], stackOf: () => PlantedStack): void {
  test.each(bugs)('J12: $bug, while $while, is found out', async ({ bug, nemesis, tells, isMeanwhile = false }) => {
    const stack = stackOf();
    using _ = isMeanwhile ? undefined : stack.planting.plant(bug);
    const { violations } = await underLoad(stack.faults, 1, (sending) => nemesis(stack, bug, sending), plantedLoad);
    expect(violations).toContainEqual(expect.stringMatching(tells));
  });
}
