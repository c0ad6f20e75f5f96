import type { TimeRange } from './steps.js';

/** What may cause a recalculation. */
export const causeKinds = ['calculated_variable', 'calibration_constant', 'instrument'] as const;
export type CauseKind = (typeof causeKinds)[number];

/** How far a recalculation is. */
export const recalculationStates = ['queued', 'running', 'succeeded', 'failed'] as const;
export type RecalculationState = (typeof recalculationStates)[number];

/** A batch recalculation. */
export interface Recalculation {
  readonly runId: string;
  readonly projectId: string;
  readonly state: RecalculationState;
  readonly causeKind: CauseKind;
  readonly causeId: string;
  /** Microseconds since 1970. */
  readonly finishedAtUs?: number | undefined;
}

/** What of a calculated variable has to be computed again. */
export interface DirtyVariable {
  readonly variableId: string;
  /** Ascending, none touching the next. */
  readonly ranges: readonly TimeRange[];
}
