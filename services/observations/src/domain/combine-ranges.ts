import type { Ranges } from './ranges.js';

/** No instant at all. */
export const noRanges: Ranges = { startsUs: new Float64Array(0), endsUs: new Float64Array(0) };

/** What is in any of them. */
export function uniteRanges(parts: readonly Ranges[]): Ranges {
  const given = parts.filter(({ startsUs }) => startsUs.length > 0);
  const [first] = given;
  if (first === undefined) return noRanges;
  if (given.length === 1) return first;
  const places = given.flatMap((part) =>
    Array.from(part.startsUs, (startUs, i) => [startUs, part.endsUs[i] as number]),
  );
  places.sort((a, b) => (a[0] as number) - (b[0] as number));
  return joinAscending(places as [number, number][]);
}

/** Ranges that ascend by their start and may overlap. */
function joinAscending(places: readonly (readonly [startUs: number, endUs: number])[]): Ranges {
  const startsUs: number[] = [];
  const endsUs: number[] = [];
  for (const [startUs, endUs] of places) {
    const last = endsUs.length - 1;
    if (last >= 0 && startUs <= (endsUs[last] as number)) endsUs[last] = Math.max(endsUs[last] as number, endUs);
    else {
      startsUs.push(startUs);
      endsUs.push(endUs);
    }
  }
  return { startsUs: Float64Array.from(startsUs), endsUs: Float64Array.from(endsUs) };
}

/** What of ranges is in [startUs, endUs). */
export function clipRanges({ startsUs, endsUs }: Ranges, startUs: number, endUs: number): Ranges {
  const from = endsUs.findIndex((us) => us > startUs);
  const after = startsUs.findIndex((us) => us >= endUs);
  const until = after === -1 ? startsUs.length : after;
  if (from === -1 || from >= until || startUs >= endUs) return noRanges;
  const clipped = { startsUs: startsUs.slice(from, until), endsUs: endsUs.slice(from, until) };
  clipped.startsUs[0] = Math.max(clipped.startsUs[0] as number, startUs);
  const last = clipped.endsUs.length - 1;
  clipped.endsUs[last] = Math.min(clipped.endsUs[last] as number, endUs);
  return clipped;
}

/** Ranges that begin so much earlier. */
export function stretchBack({ startsUs, endsUs }: Ranges, byUs: number): Ranges {
  return joinAscending(Array.from(startsUs, (startUs, i) => [startUs - byUs, endsUs[i] as number] as const));
}

/** Calls for each ascending instant that is within the ranges, with its place. */
export function forEachWithin(
  instantsUs: Float64Array,
  { startsUs, endsUs }: Ranges,
  visit: (at: number) => void,
): void {
  let range = 0;
  for (let at = 0; at < instantsUs.length; at++) {
    const us = instantsUs[at] as number;
    while (range < endsUs.length && (endsUs[range] as number) <= us) range++;
    if (range === endsUs.length) return;
    if (us >= (startsUs[range] as number)) visit(at);
  }
}
