import { headerWords, magicV1, noString, offsets } from './layout.js';
import type { Channel, Points } from './points.js';

/** Bytes that are not packed points of a version that this release reads. */
export class PackedPointsError extends Error {
  override readonly name = 'PackedPointsError';
}

/** Number of points in a packed body, from its header alone. */
export function packedCount(body: Uint8Array): number {
  return new DataView(body.buffer, body.byteOffset, body.byteLength).getUint32(4, true);
}

/**
 * Reads a packed body. The columns are views of `body` where its alignment allows, so it must not
 * be written to afterwards.
 *
 * @throws PackedPointsError when the bytes are not packed points
 */
export function unpackPoints(body: Uint8Array): Points {
  const bytes = body.byteOffset % 8 === 0 ? body : new Uint8Array(body);
  if (bytes.length < headerWords * 4) throw new PackedPointsError('shorter than its header');
  const words = (offset: number, length: number) => new Uint32Array(bytes.buffer, bytes.byteOffset + offset, length);
  const doubles = (offset: number, length: number) => new Float64Array(bytes.buffer, bytes.byteOffset + offset, length);
  const [magic, points = 0, channelCount = 0, valueCount = 0, strings = 0, stringBytes = 0] = words(0, headerWords);
  if (magic !== magicV1) throw new PackedPointsError(`unknown magic or version ${magic?.toString(16)}`);
  const at = offsets(points, channelCount, valueCount, strings);
  if (at.bytes + stringBytes !== bytes.length) throw new PackedPointsError('length and header disagree');

  const text = Buffer.from(bytes.buffer, bytes.byteOffset + at.bytes, stringBytes);
  const ends = words(at.stringEnds, strings);
  const names: string[] = [];
  for (let i = 0; i < strings; i++) names.push(text.toString('utf8', ends[i - 1] ?? 0, ends[i]));
  const name = (number: number | undefined): string => {
    const found = names[number ?? noString];
    if (found === undefined) throw new PackedPointsError('a channel names a string that is not there');
    return found;
  };
  const channelNames = words(at.channelNames, channelCount * 3);
  const channels: Channel[] = [];
  for (let i = 0; i < channelCount * 3; i += 3) {
    const site = channelNames[i];
    channels.push({
      siteId: site === noString ? undefined : name(site),
      instrumentName: name(channelNames[i + 1]),
      variableName: name(channelNames[i + 2]),
    });
  }
  const valueStarts = words(at.starts, points + 1);
  if (valueStarts[points] !== valueCount) throw new PackedPointsError('values and points disagree');
  const valueChannels = words(at.valueChannels, valueCount);
  for (let i = 0; i < valueCount; i++) {
    if ((valueChannels[i] as number) >= channelCount) throw new PackedPointsError('a value names no channel');
  }
  return {
    count: points,
    channels,
    instantsUs: doubles(at.instants, points),
    valueStarts,
    valueChannels,
    values: doubles(at.numbers, valueCount),
  };
}
