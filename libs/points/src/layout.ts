/**
 * The packed form of points, version 1: what travels over gRPC, is stored as a batch's body and
 * rides in JetStream messages. Little-endian; a durable format, so a change takes a new version
 * and the one before stays readable.
 *
 * | part | type | length |
 * | --- | --- | --- |
 * | header: magic "WPT" and version, points, channels, values, strings, string bytes | u32 | 6 |
 * | instants, microseconds since 1970 | f64 | points |
 * | values | f64 | values |
 * | first value of each point, and the number of values | u32 | points + 1 |
 * | channel of each value | u32 | values |
 * | site, instrument and variable of each channel, as string numbers | u32 | 3 × channels |
 * | end of each string in the bytes | u32 | strings |
 * | the strings, UTF-8 | u8 | string bytes |
 */
export const headerWords = 6;

/** "WPT" and the version 1, read as a little-endian u32. */
export const magicV1 = 0x01_54_50_57;

/** String number of a site that was not given. */
export const noString = 0xffff_ffff;

/** Byte offsets of the parts for given counts. */
export function offsets(points: number, channels: number, values: number, strings: number) {
  const instants = headerWords * 4;
  const numbers = instants + points * 8;
  const starts = numbers + values * 8;
  const valueChannels = starts + (points + 1) * 4;
  const channelNames = valueChannels + values * 4;
  const stringEnds = channelNames + channels * 12;
  const bytes = stringEnds + strings * 4;
  return { instants, numbers, starts, valueChannels, channelNames, stringEnds, bytes };
}
