/** Half-open ranges of instants in microseconds: ascending, none touching the next. */
export interface Ranges {
  readonly startsUs: Float64Array;
  readonly endsUs: Float64Array;
}
