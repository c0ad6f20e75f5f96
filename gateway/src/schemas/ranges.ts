import { WeirError } from '@weir/kit/errors';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';

/**
 * Refuses a half-open range that is empty because its ends are swapped or equal, naming both.
 *
 * @param names - the query parameters of start and end
 */
export function checkRange(startUs: number | undefined, endUs: number | undefined, names: readonly [string, string]) {
  if (startUs === undefined || endUs === undefined || startUs < endUs) return;
  const [start, end] = names;
  const message = `${start} must be before ${end}: the range is ${start} <= t < ${end}.`;
  const details = names.map((name) => ({ path: `query/${name}`, code: 'out_of_range', message }));
  throw new WeirError('invalid_request', message, { details });
}

/** A bound of a range of observations: outside 1700 to 2250 it becomes the nearest edge. */
export function clampBound(us: number | undefined): number | undefined {
  return us === undefined ? undefined : Math.min(Math.max(us, observationInstantMinUs), observationInstantEndUs);
}
