import { WeirError } from '@weir/kit/errors';
import { connect } from '@weir/kit/rpc';
import { type Recalculation, VariablesServiceDefinition } from '@weir/proto/variables';
import { anyInstant, type Hands } from './random-steps.js';
import { isActive, type World } from './world.js';

const actor = { type: 'user', id: 'test' };

/** Recalculates a variable as an operator does, and may cancel that again. */
export async function recalculateAny({ world, choices }: Hands, variablesAddress: string): Promise<void> {
  using variables = connect(VariablesServiceDefinition, variablesAddress);
  const { projectId } = world.tenant;
  const active = world.calculated.filter(isActive);
  if (active.length === 0) return;
  const { id: variableId } = choices.oneOf(active);
  const [one, other] = [anyInstant(choices), anyInstant(choices)];
  const isWhole = choices.isTrue(50) || one === other;
  const range = isWhole ? {} : { startUs: Math.min(one, other), endUs: Math.max(one, other) };
  const { recalculation } = await variables.startRecalculation({ projectId, variableId, ...range, actor });
  if (choices.isTrue(30)) return;
  const runId = recalculation?.runId ?? '';
  await variables.cancelRecalculation({ projectId, runId, actor }).catch((error: unknown) => {
    // it may have ended already
    if (!(error instanceof WeirError && error.code === 'lifecycle_conflict')) throw error;
  });
}

/** Recalculates all that is active: what cancelled recalculations have left is computed again. */
export async function recalculateAll(world: World, variablesAddress: string): Promise<void> {
  using variables = connect(VariablesServiceDefinition, variablesAddress);
  const { projectId } = world.tenant;
  for (const { id: variableId } of world.calculated.filter(isActive)) {
    await variables.startRecalculation({ projectId, variableId, actor });
  }
}

/** What is wrong with how a recalculation ended: nothing, as a rule. */
function faultOf({ state, errorCode, progress }: Recalculation): string | undefined {
  if (state === 'failed' && errorCode === 'cancelled') return undefined;
  if (state !== 'succeeded') return `it is ${state} ${errorCode}`;
  if (progress === undefined) return 'it has no progress';
  const { rangesTotal, rangesDone, rangesSkipped, instantsTotal, instantsDone, missing } = progress;
  if (rangesDone + rangesSkipped !== rangesTotal) return 'its ranges do not add up';
  if (instantsDone !== instantsTotal) return 'its instants do not add up';
  const withoutValue = Object.values(missing).reduce((sum, count) => sum + count, 0);
  return withoutValue > instantsDone ? 'more instants have no value than were evaluated' : undefined;
}

/**
 * Checks that every recalculation of a world has ended well, or was cancelled, and that its counts add up.
 *
 * @returns how many there are
 */
export async function checkRecalculations(world: World, variablesAddress: string): Promise<number> {
  using variables = connect(VariablesServiceDefinition, variablesAddress);
  const { projectId } = world.tenant;
  let [count, after] = [0, ''];
  for (;;) {
    const { recalculations } = await variables.listRecalculations({ projectId, limit: 100, after });
    const last = recalculations.at(-1);
    if (last === undefined) return count;
    for (const run of recalculations) {
      const fault = faultOf(run);
      if (fault !== undefined) throw new Error(`the recalculation ${JSON.stringify(run)} has a fault: ${fault}`);
    }
    count += recalculations.length;
    after = last.runId;
  }
}
