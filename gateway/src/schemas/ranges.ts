import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import type { QueryRule } from '../http/operation.js';

/** That a half-open range is not empty because its ends are swapped or equal; the names are those of its parameters. */
export function rangeRule(start: string, end: string): QueryRule {
  return {
    of: [start, end],
    code: 'out_of_range',
    faultOf: ({ [start]: startUs, [end]: endUs }) =>
      typeof startUs === 'number' && typeof endUs === 'number' && startUs >= endUs
        ? `${start} must be before ${end}: the range is ${start} <= t < ${end}.`
        : undefined,
  };
}

/**
 * A bound of a range: outside 1700 to 2250 it becomes the nearest edge, since nothing lies there and no
 * service can take it (beyond 1684 and 2255 microseconds are no safe integers).
 */
export function clampBound(us: number | undefined): number | undefined {
  return us === undefined ? undefined : Math.min(Math.max(us, observationInstantMinUs), observationInstantEndUs);
}

/** An instant that what is asked may lie at or before, clamped as `clampBound` does. */
export function clampAsOf(us: number | undefined): number | undefined {
  return us === undefined ? undefined : Math.min(Math.max(us, observationInstantMinUs - 1), observationInstantEndUs);
}
