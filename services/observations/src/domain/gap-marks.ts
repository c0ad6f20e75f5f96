import { type Buckets, columnOf } from './buckets.js';

/** What lies around the buckets of a series in the range that is asked. */
export interface Around {
  /** The last observation before the range; NaN where there is none. */
  readonly lastBeforeUs: number;
  /** Where the range's first bucket starts. */
  readonly firstStartUs: number;
  /** Where the range ends, or now where that is earlier: what is still to come is not missing. */
  readonly untilUs: number;
  /** Where the bucket after one starts. */
  readonly next: (startUs: number) => number;
}

/**
 * How long passed without an observation before a bucket's first one, since the last one before it; after the
 * last bucket until now or the range's end. Nothing is missing before the first observation that there is.
 */
function pauseBefore(buckets: Buckets, i: number, { lastBeforeUs, untilUs }: Around): number {
  return (
    (columnOf(buckets, 'firstInstants')[i] ?? untilUs) - (columnOf(buckets, 'lastInstants')[i - 1] ?? lastBeforeUs)
  );
}

/**
 * The starts of a series' buckets, and of an empty one in each gap that is longer than `gapMaxUs` and spans a bucket,
 * so that a line through the values breaks there. Other empty ones are left out: data that comes less often than
 * buckets do is no gap.
 */
export function breakAtGaps(buckets: Buckets, gapMaxUs: number, around: Around): Float64Array {
  const { starts } = buckets;
  const broken: number[] = [];
  for (let i = 0; i <= starts.length; i++) {
    const before = starts[i - 1];
    const emptyUs = before === undefined ? around.firstStartUs : around.next(before);
    if (pauseBefore(buckets, i, around) > gapMaxUs && emptyUs < (starts[i] ?? around.untilUs)) broken.push(emptyUs);
    if (i < starts.length) broken.push(starts[i] as number);
  }
  return Float64Array.from(broken);
}

/**
 * For each bucket of an answer, whether more than `gapMaxUs` passed without an observation: within it,
 * since the last one before it, or all around it when it has none.
 *
 * @param places - which of the series' buckets each bucket of the answer is; -1 where it has no observation
 */
export function gapFlags(buckets: Buckets, places: Int32Array, gapMaxUs: number, around: Around): readonly boolean[] {
  const gaps = columnOf(buckets, 'gaps');
  const flags: boolean[] = [];
  const last = buckets.starts.length - 1;
  let isInGap = pauseBefore(buckets, last + 1, around) > gapMaxUs;
  // from the end, so that an empty bucket knows the observation after it
  for (let i = places.length - 1; i >= 0; i--) {
    const place = places[i] as number;
    if (place === -1) {
      flags[i] = isInGap;
    } else {
      isInGap = pauseBefore(buckets, place, around) > gapMaxUs;
      flags[i] =
        isInGap || (gaps[place] as number) > gapMaxUs || (place === last && endsInGap(buckets, gapMaxUs, around));
    }
  }
  return flags;
}

/** Whether the last bucket goes on for more than `gapMaxUs` after its last observation: none comes that would tell. */
function endsInGap(buckets: Buckets, gapMaxUs: number, { next, untilUs }: Around): boolean {
  const endUs = Math.min(next(buckets.starts.at(-1) as number), untilUs);
  return endUs - (columnOf(buckets, 'lastInstants').at(-1) as number) > gapMaxUs;
}
