import { headerWords, magicV1, noString, offsets } from './layout.js';

/** Collects points one value at a time and packs them. */
export class PointsPacker {
  #strings: string[] = [];
  #stringNumbers = new Map<string, number>();
  /** site → instrument → variable → channel */
  #instruments = new Map<string, Map<string, Map<string, number>>>();
  #channelNames: number[] = [];
  #instants: number[] = [];
  #starts: number[] = [];
  #valueChannels: number[] = [];
  #values: number[] = [];
  #site: string | undefined;
  #instrument = '';
  #variables = new Map<string, number>();

  /** Begins a point; its values follow. */
  beginPoint(instantUs: number, siteId: string | undefined, instrumentName: string): void {
    this.#instants.push(instantUs);
    this.#starts.push(this.#values.length);
    this.#site = siteId;
    this.#instrument = instrumentName;
    const bySite = getOrMake(this.#instruments, siteId ?? '', () => new Map<string, Map<string, number>>());
    this.#variables = getOrMake(bySite, instrumentName, () => new Map<string, number>());
  }

  /** Adds a value to the point begun last, and answers the number of its channel. */
  addValue(variableName: string, value: number): number {
    let channel = this.#variables.get(variableName);
    if (channel === undefined) {
      channel = this.#channelNames.length / 3;
      this.#variables.set(variableName, channel);
      this.#channelNames.push(
        this.#site === undefined ? noString : this.#stringNumber(this.#site),
        this.#stringNumber(this.#instrument),
        this.#stringNumber(variableName),
      );
    }
    this.#valueChannels.push(channel);
    this.#values.push(value);
    return channel;
  }

  /** Number of points so far. */
  get count(): number {
    return this.#instants.length;
  }

  /** The packed form of all that was added. */
  pack(): Uint8Array<ArrayBuffer> {
    const text = Buffer.from(this.#strings.join(''), 'utf8');
    const points = this.#instants.length;
    const channels = this.#channelNames.length / 3;
    const values = this.#values.length;
    const strings = this.#strings.length;
    const at = offsets(points, channels, values, strings);
    const body = new Uint8Array(at.bytes + text.length);
    const words = (offset: number, length: number) => new Uint32Array(body.buffer, offset, length);
    words(0, headerWords).set([magicV1, points, channels, values, strings, text.length]);
    new Float64Array(body.buffer, at.instants, points).set(this.#instants);
    new Float64Array(body.buffer, at.numbers, values).set(this.#values);
    const starts = words(at.starts, points + 1);
    starts.set(this.#starts);
    starts[points] = values;
    words(at.valueChannels, values).set(this.#valueChannels);
    words(at.channelNames, channels * 3).set(this.#channelNames);
    const ends = words(at.stringEnds, strings);
    let end = 0;
    for (let i = 0; i < strings; i++) {
      end += Buffer.byteLength(this.#strings[i] as string, 'utf8');
      ends[i] = end;
    }
    body.set(text, at.bytes);
    return body;
  }

  #stringNumber(text: string): number {
    return getOrMake(this.#stringNumbers, text, () => this.#strings.push(text) - 1);
  }
}

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
