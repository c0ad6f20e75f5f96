import type { RpcClient } from '@weir/kit/rpc';
import type { Pool } from '@weir/kit/sql';
import type { CalculationChange, VariablesServiceDefinition } from '@weir/proto/variables';
import type { ProcessorEvents } from '../events.js';
import { deleteTakenChanges } from '../store/calculations.js';
import { takeOverChanges } from './take-over.js';

/** Changes that are asked for at a time. */
const pageMax = 200;
/** Changes of a project that are taken over in one transaction: its writers wait so long. */
const groupMax = 32;
/** A change that was taken over is remembered so long; by then it was acknowledged. */
const rememberDays = 7;

/** What taking over works with. */
export interface Taking {
  readonly pool: Pool;
  readonly variables: RpcClient<VariablesServiceDefinition>;
  readonly events: ProcessorEvents;
  /** Called when something was taken over that may be computed now. */
  readonly onTaken: () => void;
}

function groupsOf(changes: readonly CalculationChange[]): CalculationChange[][] {
  return Array.from({ length: Math.ceil(changes.length / groupMax) }, (_, i) =>
    changes.slice(i * groupMax, (i + 1) * groupMax),
  );
}

/**
 * Takes over the changes of a project in their order and acknowledges them. A group that fails is tried change by
 * change, so that what is before the faulty one is not held up by it.
 */
async function takeProject(
  { pool, variables, events, onTaken }: Taking,
  projectId: string,
  changes: readonly CalculationChange[],
): Promise<void> {
  const take = async (group: readonly CalculationChange[]): Promise<void> => {
    const taken = await takeOverChanges(pool, projectId, group);
    if (taken > 0) onTaken();
    await variables.acknowledgeCalculationChanges({ ids: group.map(({ id }) => id) });
    if (taken > 0) events.tookOver({ changes: taken });
  };
  for (const group of groupsOf(changes)) {
    try {
      await take(group);
    } catch (error) {
      if (group.length === 1) throw error;
      for (const change of group) await take([change]);
    }
  }
}

/**
 * Takes over all changes that wait. A project whose changes cannot be taken over holds up no other one, however many
 * they are; then it rejects after all others.
 */
export async function takeChanges(taking: Taking, signal: AbortSignal): Promise<void> {
  const failures = new Map<string, unknown>();
  for (let after = 0; !signal.aborted; ) {
    const { changes } = await taking.variables.listCalculationChanges({ limit: pageMax, after });
    for (const [projectId, ofProject] of Map.groupBy(changes, (change) => change.projectId)) {
      if (signal.aborted) break;
      // nothing is taken over before what comes before it
      if (failures.has(projectId)) continue;
      await takeProject(taking, projectId, ofProject).catch((error: unknown) => failures.set(projectId, error));
    }
    // a page may end before it is full, so the last one is empty
    const last = changes.at(-1);
    if (last === undefined) break;
    // only what is in the way is passed over: what a slow transaction commits late may have a lesser id
    if (failures.size > 0) after = last.id;
  }
  for (const failure of failures.values()) throw failure;
}

/** Forgets changes that were taken over long ago. */
export async function forgetChanges({ pool }: Taking): Promise<void> {
  await deleteTakenChanges.run(pool, { days: rememberDays });
}
