import { type BucketColumn, type Buckets, bucketColumns, columnOf } from './buckets.js';

/** How long passed without an observation before a bucket's first one, since the last of the bucket before. */
function pauseBefore(buckets: Buckets, i: number): number {
  if (i === 0) return 0;
  return (columnOf(buckets, 'firstInstants')[i] as number) - (columnOf(buckets, 'lastInstants')[i - 1] as number);
}

/**
 * Puts an empty bucket into each gap that is longer than `gapMaxUs` and spans a bucket, so that a line
 * through the values breaks there. Others are left out: data that comes less often than buckets do is no gap.
 */
export function breakAtGaps(buckets: Buckets, gapMaxUs: number, next: (startUs: number) => number): Buckets {
  const { starts } = buckets;
  const empties = new Map<number, number>();
  for (let i = 1; i < starts.length; i++) {
    const emptyUs = next(starts[i - 1] as number);
    if (pauseBefore(buckets, i) > gapMaxUs && emptyUs < (starts[i] as number)) empties.set(i, emptyUs);
  }
  if (empties.size === 0) return buckets;
  const insert = (column: Float64Array, empty: (emptyUs: number) => number): Float64Array => {
    const wider = new Float64Array(column.length + empties.size);
    let to = 0;
    column.forEach((value, i) => {
      const emptyUs = empties.get(i);
      if (emptyUs !== undefined) wider[to++] = empty(emptyUs);
      wider[to++] = value;
    });
    return wider;
  };
  const names = bucketColumns.filter((name): name is BucketColumn => buckets.columns[name] !== undefined);
  return {
    starts: insert(starts, (emptyUs) => emptyUs),
    columns: Object.fromEntries(
      names.map((name) => [name, insert(columnOf(buckets, name), () => (name === 'counts' ? 0 : Number.NaN))]),
    ),
  };
}

/**
 * For each bucket of an answer, whether more than `gapMaxUs` passed without an observation: within it,
 * since the last one before it, or all around it when it has none.
 *
 * @param places - which of the series' buckets each bucket of the answer is; -1 where it has no observation
 */
export function gapFlags(buckets: Buckets, places: Int32Array, gapMaxUs: number): readonly boolean[] {
  const gaps = columnOf(buckets, 'gaps');
  const flags: boolean[] = [];
  let isInGap = false;
  // from the end, so that an empty bucket knows the observation after it
  for (let i = places.length - 1; i >= 0; i--) {
    const place = places[i] as number;
    if (place === -1) {
      flags[i] = isInGap;
    } else {
      isInGap = pauseBefore(buckets, place) > gapMaxUs;
      flags[i] = isInGap || (gaps[place] as number) > gapMaxUs;
    }
  }
  return flags;
}
