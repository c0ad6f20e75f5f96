import { connect } from '@weir/kit/rpc';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { Hands } from './random-steps.js';
import { isActive, type World } from './world.js';

const actor = { type: 'user', id: 'test' };

/** Recalculates a variable as an operator does, and may cancel that again. */
export async function recalculateAny({ world, choices }: Hands, variablesAddress: string): Promise<void> {
  using variables = connect(VariablesServiceDefinition, variablesAddress);
  const { projectId } = world.tenant;
  const active = world.calculated.filter(isActive);
  if (active.length === 0) return;
  const { id: variableId } = choices.oneOf(active);
  const { recalculation } = await variables.startRecalculation({ projectId, variableId, actor });
  if (choices.isTrue(30)) return;
  const runId = recalculation?.runId ?? '';
  // it may have ended already
  await variables.cancelRecalculation({ projectId, runId, actor }).catch(() => undefined);
}

/** Recalculates all that is active: what cancelled recalculations have left is computed again. */
export async function recalculateAll(world: World, variablesAddress: string): Promise<void> {
  using variables = connect(VariablesServiceDefinition, variablesAddress);
  const { projectId } = world.tenant;
  for (const { id: variableId } of world.calculated.filter(isActive)) {
    await variables.startRecalculation({ projectId, variableId, actor });
  }
}
