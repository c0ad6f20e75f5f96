import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import type { Channel, Points } from '@weir/points';
import type { Resolution } from './resolution.js';

/** By index of points of which some values are stored already, the positions of the others. */
export type TriedPositions = ReadonlyMap<number, ReadonlySet<number>>;

/** Points of a batch, and the greatest instant that they may have. */
interface JudgedPoints {
  readonly points: Points;
  /** The only ones that are to be stored; empty means all. */
  readonly indexes: readonly number[];
  readonly tried: TriedPositions;
  readonly instantMaxUs: number;
}

/** Whether a point of this instant may be stored. */
export function isInRange(instantUs: number, instantMaxUs: number): boolean {
  return instantUs >= observationInstantMinUs && instantUs < observationInstantEndUs && instantUs <= instantMaxUs;
}

/** The channels of points that are to be stored and may be, by their places; undefined where all points are. */
function placesInRange({ points, indexes, tried, instantMaxUs }: JudgedPoints): Uint8Array | undefined {
  const { channels, count, instantsUs, valueStarts, valueChannels } = points;
  let first = 0;
  while (first < count && isInRange(instantsUs[first] as number, instantMaxUs)) first++;
  if (first === count && indexes.length === 0) return undefined;
  const places = new Uint8Array(channels.length);
  for (const index of indexes.length === 0 ? points.instantsUs.keys() : indexes) {
    // a batch that was damaged may name points that it does not have
    if (index >= count || !isInRange(instantsUs[index] as number, instantMaxUs)) continue;
    const end = valueStarts[index + 1] as number;
    const start = valueStarts[index] as number;
    const positions = tried.get(index);
    for (let i = start; i < end; i++) {
      if (positions === undefined || positions.has(i - start)) places[valueChannels[i] as number] = 1;
    }
  }
  return places;
}

/** Channels whose names are asked for, and how what they mean becomes that of all channels of the points. */
export interface AskedChannels {
  readonly channels: readonly Channel[];
  readonly ofAll: (resolutions: readonly Resolution[]) => readonly Resolution[];
}

const outOfRange: Resolution = { kind: 'no_instrument', code: 'timestamp_out_of_range' };

/**
 * The channels of a batch without those that only points out of range bring, or points that are not to be stored now. Their
 * names are not asked for, since that may create them: a logger whose clock is wrong would fill the catalog with what has no
 * values, and a retry make anew what was renamed since. Nor are those that are known, as they mean what they meant before.
 *
 * @param known - by channel; none where it has to be asked for
 */
export function askedChannels(judged: JudgedPoints, known: readonly (Resolution | undefined)[] = []): AskedChannels {
  const { channels } = judged.points;
  const places = placesInRange(judged);
  if (places === undefined && known.length === 0) return { channels, ofAll: (resolutions) => resolutions };
  const isAsked = (place: number): boolean =>
    known[place] === undefined && (places === undefined || places[place] === 1);
  return {
    channels: channels.filter((_, place) => isAsked(place)),
    ofAll: (resolutions) => {
      const found = resolutions.values();
      return channels.map(
        (_, place) => known[place] ?? (isAsked(place) ? found.next().value : undefined) ?? outOfRange,
      );
    },
  };
}
