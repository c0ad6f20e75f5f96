/** When a publication counts as lost, all in milliseconds. */
export interface SweepAges {
  /** A younger one may be on its way. Also how far clocks may stand apart. */
  readonly afterMs: number;
  /** An older one is published again in any case. */
  readonly againMs: number;
}

/**
 * Batches of one lane and shard that were published before this time are not in the stream any
 * more, or have been there too long: a work-queue stream keeps a message until it is
 * acknowledged, so nothing much older than its oldest message can be in it.
 *
 * @param oldestMs - when the oldest message in the stream was stored; undefined when there is none
 */
export function sweepCutoffMs(nowMs: number, oldestMs: number | undefined, ages: SweepAges): number {
  const matureMs = nowMs - ages.afterMs;
  const absentMs = oldestMs === undefined ? matureMs : Math.min(matureMs, oldestMs - ages.afterMs);
  return Math.max(absentMs, nowMs - ages.againMs);
}
