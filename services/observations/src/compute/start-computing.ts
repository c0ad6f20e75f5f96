import type { Started } from '@weir/kit/lifecycle';
import type { Pool } from '@weir/kit/sql';
import type { ProcessorEvents } from '../events.js';
import { DefinitionMemory } from './definition-memory.js';
import { startLiveLoop } from './live-loop.js';
import type { MakingWay } from './making-way.js';
import { startRecalculationLoop } from './recalculation-loop.js';

/** What one transaction does for a variable at most, beside the instants. Windows of live ones are small. */
const limits = {
  live: { windowRowsMax: 65_536, stepsMax: 10_000_000, isPatient: false },
  recalculation: { windowRowsMax: 262_144, stepsMax: 50_000_000, isPatient: true },
} as const;

/** What is computed with. */
export interface ComputingOptions {
  readonly pool: Pool;
  readonly events: ProcessorEvents;
  /** For points, by recalculations. */
  readonly makingWay: MakingWay;
  /** Recalculations that are worked at at the same time; 0 leaves them to other processors. */
  readonly recalculationWorkers: number;
  /** Instants of a variable that are computed in one transaction at most. */
  readonly sliceInstantsMax: number;
}

/** Computing in the background. */
export interface StartedComputing extends Started {
  /**
   * Computes what live points have marked until now, as far as no other processor does; resolves when that is begun. Never
   * rejects: what fails stays marked, and is tried again.
   */
  computeLive(): Promise<void>;
  /** Looks for recalculations now. */
  wake(): void;
}

/**
 * Computes calculated variables: what live points have marked at once, recalculations beside. Other processors may do the
 * same. Disposing waits for the transactions in progress; what is left is computed later, by whoever comes.
 */
export function startComputing(options: ComputingOptions): StartedComputing {
  const { pool, events, makingWay, recalculationWorkers, sliceInstantsMax } = options;
  const computing = { pool, events, definitions: new DefinitionMemory(events) };
  const atMost = { instantsMax: sliceInstantsMax, rangesMax: sliceInstantsMax, scannedRowsPerInstant: 16 };
  const recalculations = Array.from({ length: recalculationWorkers }, () =>
    startRecalculationLoop(computing, makingWay, { ...limits.recalculation, ...atMost }),
  );
  const wake = (): void => recalculations.forEach((loop) => loop.wake());
  const live = startLiveLoop(computing, { ...limits.live, ...atMost }, wake);
  return {
    computeLive: () => live.compute(),
    wake,
    async [Symbol.asyncDispose]() {
      await Promise.all([live, ...recalculations].map((loop) => loop[Symbol.asyncDispose]()));
    },
  };
}
