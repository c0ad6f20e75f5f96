/**
 * The sum of observations `start` to before `end`, in that order, by Neumaier's variant of Kahan's
 * algorithm: always from the first one of the window, so that it never depends on what was summed before.
 * Infinite or NaN when it overflows on the way.
 */
export function sumOf(values: Float64Array, start: number, end: number): number {
  let sum = 0;
  let compensation = 0;
  for (let at = start; at < end; at++) {
    const value = values[at] as number;
    const next = sum + value;
    compensation += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + compensation;
}

/** The sum of squared distances from `mean`, by the same algorithm. */
export function squaresOf(values: Float64Array, start: number, end: number, mean: number): number {
  let sum = 0;
  let compensation = 0;
  for (let at = start; at < end; at++) {
    const distance = (values[at] as number) - mean;
    const value = distance * distance;
    const next = sum + value;
    compensation += sum >= value ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + compensation;
}
