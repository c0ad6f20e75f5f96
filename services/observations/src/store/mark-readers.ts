import type { Transaction } from '@weir/kit/sql';

/** Observations whose value has changed, or that are new or gone: in ascending order of key and instant. */
export interface Changes {
  readonly count: number;
  readonly variableKeys: Float64Array;
  readonly instantsUs: Float64Array;
  /**
   * Whether no other observation of the series, as it was or as it is now, lies between the change and the one before
   * it, which is of the same series.
   */
  isJoined(change: number): boolean;
}

/** Whose marks they are. */
export interface MarkOptions {
  readonly lane: 0 | 1;
  /** The recalculation that counts them. */
  readonly runId: string | undefined;
}

/**
 * Marks what is computed from changed observations, in the transaction that wrote them and under `shareProjects`.
 *
 * @returns whether anything is marked
 */
export declare function markReaders(tx: Transaction, changes: Changes, options: MarkOptions): Promise<boolean>;
