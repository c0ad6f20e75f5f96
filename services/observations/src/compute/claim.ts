import type { Transaction } from '@weir/kit/sql';
import type { Calculation } from '../domain/calculation.js';
import type { ComputedLane } from '../domain/mark-lanes.js';
import type { Ranges } from '../domain/ranges.js';
import { type Candidate, lockCalculations } from '../store/claims.js';
import { selectMarks } from '../store/dirty.js';
import { rangesFromBytes } from '../store/multiranges.js';
import { shareProjects } from '../store/project-locks.js';
import type { DefinitionMemory } from './definition-memory.js';

/** What is to be computed again of a variable, for one recalculation or none. */
export interface Mark {
  /** of the rows that it is kept in */
  readonly ids: readonly number[];
  readonly runId: string | undefined;
  readonly rangeCount: number;
  readonly instants: number | undefined;
  readonly ranges: Ranges;
}

/** A variable that is ours until the transaction ends. */
export interface Claimed {
  readonly variableKey: number;
  /** stands with the results */
  readonly generation: number;
  /** undefined when it is computed no more */
  readonly calculation: Calculation | undefined;
  readonly marks: readonly Mark[];
}

/** Takes variables, ascending by key, as far as nobody else has them, with what a lane has of each. */
export async function claim(
  tx: Transaction,
  definitions: DefinitionMemory,
  lane: ComputedLane,
  candidates: readonly Candidate[],
): Promise<Claimed[]> {
  const asked = candidates.toSorted((a, b) => a.variableKey - b.variableKey);
  await shareProjects.run(tx, { projectIds: [...new Set(asked.map(({ projectId }) => projectId))] });
  const locked = await lockCalculations.all(tx, { variableKeys: asked.map(({ variableKey }) => variableKey) });
  if (locked.length === 0) return [];
  const calculations = await definitions.of(tx, locked);
  const marks = await selectMarks.all(tx, { lane, variableKeys: locked.map(({ variableKey }) => variableKey) });
  const byKey = Map.groupBy(marks, ({ variableKey }) => variableKey);
  return locked.map(({ variableKey, configurationGeneration }) => ({
    variableKey,
    generation: configurationGeneration,
    calculation: calculations.get(variableKey),
    marks: (byKey.get(variableKey) ?? []).map((mark) => ({
      ...mark,
      runId: mark.runId,
      instants: mark.instants,
      ranges: rangesFromBytes(mark.ranges),
    })),
  }));
}
