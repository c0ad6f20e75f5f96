import { setTimeout as delay } from 'node:timers/promises';
import { connect } from '@weir/kit/rpc';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { TestStack } from './stack.js';

/** Longer than a killed processor keeps messages and locks to itself. */
const timeoutMs = 100_000;
const pollMs = 20;

/**
 * Waits until all points are processed, all recalculations have ended, and nothing is marked any more but what was put
 * aside: then every change has reached every result.
 */
export async function waitUntilComputed(stack: Pick<TestStack, 'addresses' | 'drained'>): Promise<void> {
  using variables = connect(VariablesServiceDefinition, stack.addresses.variables);
  using observations = connect(ObservationsServiceDefinition, stack.addresses.observations);
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    // in this order: what one finds ended adds nothing to those after it that they would not see
    await stack.drained();
    const unfinished: string[] = [];
    for (const state of ['queued', 'running']) {
      const { recalculations } = await variables.listRecalculations({ state, limit: 100 });
      unfinished.push(...recalculations.map(({ runId }) => `${runId} is ${state}`));
    }
    const { live, recalculation } = await observations.getBacklog({});
    if (unfinished.length === 0 && live === 0 && recalculation === 0) return;
    if (Date.now() > deadline) {
      throw new Error(
        `after ${timeoutMs} ms ${live} live marks and ${recalculation} of recalculations wait, and ${unfinished.join(', ')}`,
      );
    }
    await delay(pollMs);
  }
}
