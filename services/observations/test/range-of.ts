import { noRanges } from '../src/domain/combine-ranges.js';
import type { Ranges } from '../src/domain/ranges.js';

/** One range, or none where it is empty. */
export function rangeOf(startUs: number, endUs: number): Ranges {
  return startUs < endUs ? { startsUs: Float64Array.of(startUs), endsUs: Float64Array.of(endUs) } : noRanges;
}
