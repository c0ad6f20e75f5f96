/** Numbers that one trial measured, by name; units are in the names. */
export type Sample = Readonly<Record<string, number>>;

/** What the trials of one round measured, by the names of the trials; one that cannot be run here is absent. */
export type Round = Readonly<Record<string, Sample>>;

/** A ratio to reach: its id, goal and stretch are those of the performance targets. */
export interface Ratio {
  readonly id: string;
  readonly what: string;
  /** Absent: it is printed and judges nothing. */
  readonly goal?: number;
  readonly stretch?: number;
  /** The lower the better; otherwise the higher. */
  readonly isLowerBetter?: true;
  /** The ratio of one round; undefined where what it needs was not there. */
  readonly of: (round: Round) => number | undefined;
}

/** Work that is measured once a round, from start to end, with its correctness checked. */
export type Trial = () => Promise<Sample>;

/** Trials that are run back to back in every round, and the ratios of what they measure. */
export interface Family {
  readonly name: string;
  /** It takes many minutes, and is measured only when it is asked for. */
  readonly isLong?: true;
  readonly ratios: readonly Ratio[];
  /** Prepares the trials: what stands in the database, warm processes. Disposing cleans up. */
  readonly open: () => Promise<Trials>;
}

/** Prepared trials by name, in the order of the first round; every other round runs them backwards. */
export interface Trials extends AsyncDisposable {
  readonly trials: Readonly<Record<string, Trial>>;
}

/** The quotient of two measured numbers; undefined when one was not measured. */
export function quotient(numerator: number | undefined, denominator: number | undefined): number | undefined {
  return numerator === undefined || denominator === undefined ? undefined : numerator / denominator;
}
