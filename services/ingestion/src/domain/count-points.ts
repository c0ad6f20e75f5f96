import { PackedPointsError, type Points, unpackPoints } from '@weir/points';

/** Points of one request at most. */
const pointsMax = 1000;

function faultOf(points: Points): string | undefined {
  const { count, channels, valueStarts, valueChannels } = points;
  if (count < 1 || count > pointsMax) return `must hold 1 to ${pointsMax} points, not ${count}`;
  if (valueStarts[0] !== 0) return 'must begin with its first value';
  for (let point = 0; point < count; point++) {
    const start = valueStarts[point] as number;
    const end = valueStarts[point + 1] as number;
    if (end <= start) return `must have a value for each point, and point ${point} has none`;
    const own = channels[valueChannels[start] as number];
    for (let value = start + 1; value < end; value++) {
      const channel = channels[valueChannels[value] as number];
      if (channel?.instrumentName !== own?.instrumentName || channel?.siteId !== own?.siteId)
        return `must have one instrument a point, and point ${point} has two`;
    }
  }
  return undefined;
}

/** The number of points in a packed body that a processor can read from end to end, or what is wrong with it. */
export function countPoints(body: Uint8Array): { readonly count: number } | { readonly fault: string } {
  try {
    const points = unpackPoints(body);
    const fault = faultOf(points);
    return fault === undefined ? { count: points.count } : { fault };
  } catch (error) {
    if (error instanceof PackedPointsError) return { fault: `must be packed points: ${error.message}` };
    throw error;
  }
}
