/** What a metric is: all that is known of it before anything is counted. */
export interface Metric {
  /** By the semantic conventions of OpenTelemetry where they name one, else below `weir.`. */
  readonly name: string;
  /** `counter` only rises; `histogram` keeps how values are spread; `gauge` is looked up when somebody asks. */
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** As UCUM writes it: `s`, `By`, `1`, or what is counted in braces. */
  readonly unit: string;
  /** One sentence: what it says. */
  readonly doc: string;
  /**
   * What it is told apart by: the values that there are, or a sentence that says why they are few. Never a project, a
   * key, an instrument or a path.
   */
  readonly attributes?: Readonly<Record<string, readonly string[] | string>>;
  /** Upper bounds of a histogram's buckets. */
  readonly buckets?: readonly number[];
}

/** The metrics of a process or of a part of it, by the name that its code uses. */
export type Metrics = Readonly<Record<string, Metric>>;

/** What a value is told apart by; an attribute that is undefined is left out. */
export type AttributesOf<M extends Metric> = {
  readonly [K in keyof M['attributes']]: M['attributes'][K] extends readonly (infer V)[]
    ? V
    : string | number | undefined;
};

/** Attributes, as far as there are any. */
type Given<M extends Metric> = M extends { readonly attributes: object } ? [attributes: AttributesOf<M>] : [];

/** What counts by a declared metric. */
export type InstrumentOf<M extends Metric> = M['kind'] extends 'counter'
  ? { add(amount: number, ...given: Given<M>): void }
  : M['kind'] extends 'histogram'
    ? { record(value: number, ...given: Given<M>): void }
    : { set(value: number, ...given: Given<M>): void };

/** Seconds that a call takes: the bounds that the conventions advise, and two for what is slow. */
export const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60] as const;
