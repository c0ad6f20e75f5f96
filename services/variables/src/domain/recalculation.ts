import type { TimeRange } from './steps.js';

/** What may cause a recalculation; an operator names the variable. */
export const causeKinds = ['calculated_variable', 'calibration_constant', 'instrument', 'operator'] as const;
export type CauseKind = (typeof causeKinds)[number];

/** How far a recalculation is. */
export const recalculationStates = ['queued', 'running', 'succeeded', 'failed'] as const;
export type RecalculationState = (typeof recalculationStates)[number];

/** How much of a recalculation is done, of how much that is known so far. */
export interface Progress {
  readonly rangesTotal: number;
  readonly rangesDone: number;
  readonly rangesSkipped: number;
  readonly instantsTotal: number;
  readonly instantsDone: number;
  /** Instants without a value, by reason. */
  readonly missing: Readonly<Record<string, number>>;
}

/** A batch recalculation. */
export interface Recalculation extends Progress {
  readonly runId: string;
  readonly projectId: string;
  readonly state: RecalculationState;
  readonly causeKind: CauseKind;
  readonly causeId: string;
  /** Microseconds since 1970. */
  readonly finishedAtUs?: number | undefined;
  /** Of one that failed. */
  readonly errorCode?: string | undefined;
}

/** What of a calculated variable has to be computed again. */
export interface DirtyVariable {
  readonly variableId: string;
  /** Ascending, none touching the next. */
  readonly ranges: readonly TimeRange[];
}
