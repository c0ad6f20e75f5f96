/** A step of a function of time: `value` holds from its start until that of the next step. */
export interface Step<T> {
  /** Microseconds since 1970. */
  readonly startTimeUs: number;
  readonly value: T;
}

/** A half-open range of time, in microseconds since 1970. */
export interface TimeRange {
  readonly startUs: number;
  readonly endUs: number;
}

/**
 * The ranges in which two functions of time differ, ascending, none touching the next. Before its first
 * step a function has no value, which equals nothing but itself.
 *
 * @param before - steps in ascending order of their different starts
 * @param after - likewise
 * @param endUs - where time ends: no range goes further
 */
export function differingRanges<T>(before: readonly Step<T>[], after: readonly Step<T>[], endUs: number): TimeRange[] {
  return rangesWhere(before, after, endUs, (a, b) => a !== b);
}

/** The ranges in which both functions have a value that is true. */
export function commonRanges(a: readonly Step<boolean>[], b: readonly Step<boolean>[], endUs: number): TimeRange[] {
  return rangesWhere(a, b, endUs, (x, y) => x === true && y === true);
}

/** Ranges as a function of time that is true in them. They ascend and do not touch. */
export function stepsOf(ranges: readonly TimeRange[]): Step<boolean>[] {
  return ranges.flatMap(({ startUs, endUs }) => [
    { startTimeUs: startUs, value: true },
    { startTimeUs: endUs, value: false },
  ]);
}

function rangesWhere<T>(
  a: readonly Step<T>[],
  b: readonly Step<T>[],
  endUs: number,
  holds: (a: T | undefined, b: T | undefined) => boolean,
): TimeRange[] {
  const ranges: TimeRange[] = [];
  let [atA, atB] = [0, 0];
  let openUs: number | undefined;
  while (atA < a.length || atB < b.length) {
    const us = Math.min(a[atA]?.startTimeUs ?? endUs, b[atB]?.startTimeUs ?? endUs);
    if (us >= endUs) break;
    if (a[atA]?.startTimeUs === us) atA++;
    if (b[atB]?.startTimeUs === us) atB++;
    const isOpen = holds(a[atA - 1]?.value, b[atB - 1]?.value);
    if (isOpen) openUs ??= us;
    else if (openUs !== undefined) {
      ranges.push({ startUs: openUs, endUs: us });
      openUs = undefined;
    }
  }
  if (openUs !== undefined) ranges.push({ startUs: openUs, endUs });
  return ranges;
}

/**
 * At most `max` ranges that cover all of these, by closing the smallest gaps: what is read once more
 * for nothing is as little as can be.
 */
export function coverRanges(ranges: readonly TimeRange[], max: number): TimeRange[] {
  if (ranges.length <= max) return [...ranges];
  const gapBefore = (at: number): number => (ranges[at]?.startUs ?? 0) - (ranges[at - 1]?.endUs ?? 0);
  const kept = new Set(
    Array.from({ length: ranges.length - 1 }, (_, at) => at + 1)
      .sort((a, b) => gapBefore(b) - gapBefore(a))
      .slice(0, max - 1),
  );
  const covering: { startUs: number; endUs: number }[] = [];
  for (const [at, { startUs, endUs }] of ranges.entries()) {
    const last = covering.at(-1);
    if (last === undefined || kept.has(at)) covering.push({ startUs, endUs });
    else last.endUs = endUs;
  }
  return covering;
}
