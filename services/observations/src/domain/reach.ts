import type { Edge } from './edges.js';
import type { Ranges } from './ranges.js';

/** Observations of which only the places matter: in ascending order of key and instant. */
export interface Places {
  readonly count: number;
  readonly variableKeys: Float64Array;
  readonly instantsUs: Float64Array;
}

/** Observations whose value has changed, or that are new or gone. */
export interface Changes extends Places {
  /**
   * Whether no other observation of the series, as it was or as it is now, lies between the change and the one before
   * it, which is of the same series.
   */
  isJoined(change: number): boolean;
}

/** The changes of one series: their numbers from `start` to before `end`. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** The changes of each series. */
export function segmentsOf({ count, variableKeys }: Places): Map<number, Segment> {
  const segments = new Map<number, Segment>();
  let start = 0;
  for (let change = 1; change <= count; change++) {
    if (change < count && variableKeys[change] === variableKeys[start]) continue;
    segments.set(variableKeys[start] as number, { start, end: change });
    start = change;
  }
  return segments;
}

/** Collects ranges that come in ascending order of their starts, or nearly so, and unites them. */
class Collector {
  #starts: Float64Array = new Float64Array(16);
  #ends: Float64Array = new Float64Array(16);
  #count = 0;
  #isSorted = true;

  get lastEndUs(): number {
    return this.#ends[this.#count - 1] as number;
  }

  add(startUs: number, endUs: number): void {
    const last = this.#count - 1;
    if (last >= 0 && startUs <= (this.#ends[last] as number) && startUs >= (this.#starts[last] as number)) {
      if (endUs > (this.#ends[last] as number)) this.#ends[last] = endUs;
      return;
    }
    if (last >= 0 && startUs < (this.#starts[last] as number)) this.#isSorted = false;
    if (this.#count === this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#ends = grown(this.#ends);
    }
    this.#starts[this.#count] = startUs;
    this.#ends[this.#count++] = endUs;
  }

  ranges(): Ranges {
    const startsUs = this.#starts.slice(0, this.#count);
    const endsUs = this.#ends.slice(0, this.#count);
    if (this.#isSorted) return { startsUs, endsUs };
    const order = Uint32Array.from(startsUs, (_, i) => i).sort(
      (a, b) => (startsUs[a] as number) - (startsUs[b] as number),
    );
    const united = new Collector();
    for (const i of order) united.add(startsUs[i] as number, endsUs[i] as number);
    return united.ranges();
  }
}

function grown(numbers: Float64Array): Float64Array {
  const larger = new Float64Array(numbers.length * 2);
  larger.set(numbers);
  return larger;
}

function reachAlong(edge: Edge, segment: Segment, changes: Changes, nextsUs: Float64Array, into: Collector): void {
  const { fromUs, untilUs, isSoleDriver, stops } = edge;
  const reachUs = edge.reachUs ?? Number.POSITIVE_INFINITY;
  const isAfter = stops === 'at_next' ? 1 : 0;
  // one that does not look back has the instant itself
  const leastUs = stops === 'never' ? 1 : 0;
  let isOpen = false;
  for (let change = segment.start; change < segment.end; change++) {
    const atUs = changes.instantsUs[change] as number;
    const bufferEndUs = atUs + Math.max(reachUs, leastUs);
    const endUs = stops === 'never' ? bufferEndUs : Math.min(bufferEndUs, (nextsUs[change] as number) + isAfter);
    let startUs = Math.max(atUs + isAfter, fromUs);
    const stopUs = Math.min(endUs, untilUs);
    if (startUs >= stopUs) {
      isOpen = false;
      continue;
    }
    // nothing has an instant in between, and many small ranges become one
    if (isOpen && isSoleDriver && changes.isJoined(change)) startUs = Math.min(startUs, into.lastEndUs);
    into.add(startUs, stopUs);
    isOpen = true;
  }
}

/**
 * Where changes reach the results of one reader.
 *
 * @param edges - all that lead to it
 * @param nextsUs - by change, the next observation of its series as it is now, Infinity where there is none. The next
 *   change does as well where it is joined. Not read for edges that never stop.
 */
export function reachOf(
  edges: readonly Edge[],
  segments: ReadonlyMap<number, Segment>,
  changes: Changes,
  nextsUs: Float64Array,
): Ranges {
  const collector = new Collector();
  for (const edge of edges) {
    const segment = segments.get(edge.inputKey);
    if (segment !== undefined) reachAlong(edge, segment, changes, nextsUs, collector);
  }
  return collector.ranges();
}
