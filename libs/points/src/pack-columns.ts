import type { Channels } from './channels.js';
import { headerWords, magicV1, offsets } from './layout.js';

/** Points in columns: what packing copies as it is. */
export interface ColumnsToPack {
  /** Microseconds since 1970, one for each point. */
  readonly instants: ArrayLike<number>;
  /** First value of each point, and the end of the last; counted from wherever the first point begins. */
  readonly starts: ArrayLike<number>;
  readonly valueChannels: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly channels: Channels;
}

/** The packed form of points, in memory of its own. */
export function packColumns(columns: ColumnsToPack): Uint8Array<ArrayBuffer> {
  const { strings, names } = columns.channels;
  const text = Buffer.from(strings.join(''), 'utf8');
  const points = columns.instants.length;
  const values = columns.values.length;
  const at = offsets(points, names.length / 3, values, strings.length);
  const body = new Uint8Array(at.bytes + text.length);
  const words = (offset: number, length: number) => new Uint32Array(body.buffer, offset, length);
  words(0, headerWords).set([magicV1, points, names.length / 3, values, strings.length, text.length]);
  new Float64Array(body.buffer, at.instants, points).set(columns.instants);
  new Float64Array(body.buffer, at.numbers, values).set(columns.values);
  const starts = words(at.starts, points + 1);
  starts.set(columns.starts);
  const first = starts[0] as number;
  if (first > 0) for (let i = 0; i < starts.length; i++) starts[i] = (starts[i] as number) - first;
  words(at.valueChannels, values).set(columns.valueChannels);
  words(at.channelNames, names.length).set(names);
  const ends = words(at.stringEnds, strings.length);
  let end = 0;
  for (const [i, string] of strings.entries()) {
    end += Buffer.byteLength(string, 'utf8');
    ends[i] = end;
  }
  body.set(text, at.bytes);
  return body;
}
