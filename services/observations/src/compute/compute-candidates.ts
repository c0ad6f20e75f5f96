import { WeirError } from '@weir/kit/errors';
import { BufferGarbage } from '@weir/kit/garbage';
import type { Pool } from '@weir/kit/sql';
import { type ComputedLane, markLanes } from '../domain/mark-lanes.js';
import type { ProcessorEvents } from '../events.js';
import type { Candidate } from '../store/claims.js';
import { countAttempt, putMarksAside } from '../store/dirty.js';
import { lockProject } from '../store/project-locks.js';
import { failRecalculation } from '../store/recalculations.js';
import { claim } from './claim.js';
import { computeClaimed } from './compute-claimed.js';
import { countRests } from './count-rests.js';
import type { DefinitionMemory } from './definition-memory.js';
import { markFromResults, settleMarks } from './settle-marks.js';
import type { SliceLimits } from './slice.js';
import { noteResults, writeResults } from './write-results.js';

/** What fails so often is put aside. */
const attemptsMax = 5;

/** Computing leaves so much behind in buffers, for each instant. */
const leftBehindBytes = 1000;
const garbage = new BufferGarbage();

/** What computing works with. */
export interface Computing {
  readonly pool: Pool;
  readonly events: ProcessorEvents;
  readonly definitions: DefinitionMemory;
}

/** What came of candidates. */
export interface Round {
  /** Variables that were computed, or tried in vain. */
  readonly claimed: number;
  /** Variables that somebody else has at the moment. */
  readonly skipped: number;
  /** Whether there is something to do that was not before. */
  readonly isMarked: boolean;
  /** Whether some of that is in the lane of recalculations, from the live one. */
  readonly isHandedOver: boolean;
}

/** Computes candidates in one transaction, each as far as is possible at once. */
async function compute(
  { pool, events, definitions }: Computing,
  lane: ComputedLane,
  candidates: readonly Candidate[],
  limits: SliceLimits,
): Promise<Round> {
  const startedMs = performance.now();
  const done = await pool.transaction(async (tx) => {
    const claimed = await claim(tx, definitions, lane, candidates);
    const computed = await computeClaimed(tx, claimed, limits);
    await writeResults(tx, computed);
    await noteResults(tx, computed);
    const isMarked = await markFromResults(tx, lane, computed);
    return { computed, isMarked, rests: await settleMarks(tx, lane, computed) };
  });
  const { computed, isMarked, rests } = done;
  if (lane === markLanes.recalculation) await countRests(pool, rests);
  const instants = computed.reduce((sum, { evaluation }) => sum + evaluation.instantsUs.length, 0);
  garbage.add(instants * leftBehindBytes);
  events.computed({
    lane,
    variables: computed.length,
    instants,
    changed: computed.reduce((sum, { settled }) => sum + settled.instantsUs.length, 0),
    durationMs: performance.now() - startedMs,
  });
  return {
    claimed: computed.length,
    skipped: candidates.length - computed.length,
    isMarked: isMarked || rests.length > 0,
    isHandedOver: lane === markLanes.live && rests.some((rest) => rest.computed.isLarge),
  };
}

/** Counts a failure; what fails too often is put aside, and its recalculations fail with it. */
async function noteFailure(
  { pool, events }: Computing,
  lane: ComputedLane,
  candidate: Candidate,
  error: unknown,
): Promise<void> {
  const { variableKey, projectId, variableId } = candidate;
  await pool.transaction(async (tx) => {
    await lockProject.run(tx, { projectId });
    const counted = await countAttempt.all(tx, { lane, variableKeys: [variableKey] });
    const spent = counted.filter(({ attempts }) => attempts >= attemptsMax);
    const isGivenUp = spent.length > 0;
    events.computingFailed({ projectId, variableId, isGivenUp, error });
    if (!isGivenUp) return;
    await putMarksAside.run(tx, { ids: spent.map(({ id }) => id) });
    const runIds = new Set(spent.map(({ runId }) => runId).filter((runId) => runId !== undefined));
    for (const runId of runIds) await failRecalculation.run(tx, { runId, projectId, errorCode: 'processing_error' });
  });
}

/**
 * Computes candidates as far as is possible at once. Where that fails each is tried alone, so that one does not keep
 * others from being computed; a failure of one is counted. A database that does not answer is nobody's failure: rejects.
 */
export async function computeCandidates(
  computing: Computing,
  lane: ComputedLane,
  candidates: readonly Candidate[],
  limits: SliceLimits,
): Promise<Round> {
  try {
    return await compute(computing, lane, candidates, limits);
  } catch (error) {
    if (error instanceof WeirError && error.code === 'dependency_unavailable') throw error;
    const [first] = candidates;
    if (first !== undefined && candidates.length === 1) {
      await noteFailure(computing, lane, first, error);
      return { claimed: 1, skipped: 0, isMarked: true, isHandedOver: false };
    }
    const rounds: Round[] = [];
    for (const candidate of candidates) rounds.push(await computeCandidates(computing, lane, [candidate], limits));
    return {
      claimed: rounds.reduce((sum, { claimed }) => sum + claimed, 0),
      skipped: rounds.reduce((sum, { skipped }) => sum + skipped, 0),
      isMarked: true,
      isHandedOver: rounds.some(({ isHandedOver }) => isHandedOver),
    };
  }
}
