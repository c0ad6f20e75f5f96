/** Whether a reach ends at the input's next observation: not, before it, or with it. */
export type Stops = 'never' | 'before_next' | 'at_next';

/** Where a change of an observation of a series reaches the results of what reads it. */
export interface Edge {
  readonly inputKey: number;
  /** It holds for results in this half-open range. */
  readonly fromUs: number;
  readonly untilUs: number;
  readonly isCalculated: boolean;
  /** Whether the results have their instants from this series alone. */
  readonly isSoleDriver: boolean;
  /** How far it reaches past the instant: 0 that instant alone, undefined without end. */
  readonly reachUs: number | undefined;
  /** `at_next` begins after the instant. */
  readonly stops: Stops;
}
