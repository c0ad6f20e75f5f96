import type { Series } from '@weir/expression';
import type { Evaluation } from './evaluate-instants.js';
import type { Ranges } from './ranges.js';

/** What has to be done to what is stored, so that it is what was evaluated; instants ascend. */
export interface SettledResults {
  /** Results that are new. */
  readonly added: Series;
  /** Results of which another value is stored. */
  readonly changed: Series;
  /** Results that are no longer. */
  readonly removedUs: Float64Array;
  /** The instants of all three. */
  readonly instantsUs: Float64Array;
  /** For each of those 1 where no other result, as it was or is, lies between it and the one before. */
  readonly joined: Uint8Array;
}

/** Instants, and their values where they have some, that grow. */
class Growing {
  readonly #atUs: Float64Array;
  readonly #values: Float64Array;
  #count = 0;

  constructor(max: number) {
    this.#atUs = new Float64Array(max);
    this.#values = new Float64Array(max);
  }

  push(us: number, value: number): void {
    this.#atUs[this.#count] = us;
    this.#values[this.#count++] = value;
  }

  get series(): Series {
    return { atUs: this.#atUs.subarray(0, this.#count), values: this.#values.subarray(0, this.#count) };
  }
}

/**
 * Compares what was evaluated with what is stored.
 *
 * @param ranges - that were evaluated
 * @param stored - the results that are stored in them
 */
export function settleResults(ranges: Ranges, evaluation: Evaluation, stored: Series): SettledResults {
  const { instantsUs, values } = evaluation;
  const max = instantsUs.length + stored.atUs.length;
  const added = new Growing(instantsUs.length);
  const changed = new Growing(instantsUs.length);
  const removed = new Growing(stored.atUs.length);
  const touched = new Float64Array(max);
  const joined = new Uint8Array(max);
  let count = 0;
  let range = 0;
  let isJoined = false;
  for (let i = 0, j = 0; i < instantsUs.length || j < stored.atUs.length; ) {
    const evaluatedUs = i < instantsUs.length ? (instantsUs[i] as number) : Number.POSITIVE_INFINITY;
    const storedUs = j < stored.atUs.length ? (stored.atUs[j] as number) : Number.POSITIVE_INFINITY;
    const us = Math.min(evaluatedUs, storedUs);
    const value = evaluatedUs === us ? (values[i++] as number) : Number.NaN;
    const before = storedUs === us ? (stored.values[j++] as number) : Number.NaN;
    // neither there nor to be there
    if (value !== value && before !== before) continue;
    while (us >= (ranges.endsUs[range] as number)) {
      range++;
      isJoined = false;
    }
    if (value === before) {
      isJoined = false;
      continue;
    }
    if (before !== before) added.push(us, value);
    else if (value !== value) removed.push(us, Number.NaN);
    else changed.push(us, value);
    touched[count] = us;
    joined[count++] = isJoined ? 1 : 0;
    isJoined = true;
  }
  return {
    added: added.series,
    changed: changed.series,
    removedUs: removed.series.atUs,
    instantsUs: touched.subarray(0, count),
    joined: joined.subarray(0, count),
  };
}
