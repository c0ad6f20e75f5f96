/** Where marks of what is to be computed again wait, as the rows of `observations.dirty` have it. */
export const markLanes = {
  /** of live points */
  live: 0,
  /** of recalculations, and of live points that reach too far for the lane before */
  recalculation: 1,
  /** of what was cancelled or failed too often: nobody computes it */
  putAside: 2,
} as const;

/** One of the lanes of marks. */
export type MarkLane = (typeof markLanes)[keyof typeof markLanes];

/** A lane whose marks are computed. */
export type ComputedLane = Exclude<MarkLane, typeof markLanes.putAside>;
