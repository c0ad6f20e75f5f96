import { Channels } from './channels.js';
import { packColumns } from './pack-columns.js';

/** Collects points one value at a time and packs them. */
export class PointsPacker {
  readonly #channels = new Channels();
  /** site → instrument → variable → channel */
  #instruments = new Map<string, Map<string, Map<string, number>>>();
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
      channel = this.#channels.add(this.#site, this.#instrument, variableName);
      this.#variables.set(variableName, channel);
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
    return packColumns({
      instants: this.#instants,
      starts: [...this.#starts, this.#values.length],
      valueChannels: this.#valueChannels,
      values: this.#values,
      channels: this.#channels,
    });
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
