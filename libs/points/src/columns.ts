import type { Channels } from './channels.js';
import type { ColumnsToPack } from './pack-columns.js';

/** Columns of points that grow while they are filled, one value after the other. */
export class Columns {
  #instants = new Float64Array(1000);
  /** The end of a point is the first value of the one that follows it, so that there is one more. */
  #starts = new Uint32Array(1001);
  #values = new Float64Array(1000);
  #valueChannels = new Uint32Array(1000);
  #pointCount = 0;
  #valueCount = 0;

  beginPoint(instantUs: number): void {
    if (this.#pointCount === this.#instants.length) {
      this.#instants = copied(this.#instants, new Float64Array(2 * this.#pointCount));
      this.#starts = copied(this.#starts, new Uint32Array(2 * this.#pointCount + 1));
    }
    this.#instants[this.#pointCount++] = instantUs;
    this.#starts[this.#pointCount] = this.#valueCount;
  }

  addValue(channel: number, value: number): void {
    if (this.#valueCount === this.#values.length) {
      this.#values = copied(this.#values, new Float64Array(2 * this.#valueCount));
      this.#valueChannels = copied(this.#valueChannels, new Uint32Array(2 * this.#valueCount));
    }
    this.#valueChannels[this.#valueCount] = channel;
    this.#values[this.#valueCount++] = value;
    this.#starts[this.#pointCount] = this.#valueCount;
  }

  /** What was filled in, until it is cleared. */
  filled(channels: Channels): ColumnsToPack {
    return {
      instants: this.#instants.subarray(0, this.#pointCount),
      starts: this.#starts.subarray(0, this.#pointCount + 1),
      values: this.#values.subarray(0, this.#valueCount),
      valueChannels: this.#valueChannels.subarray(0, this.#valueCount),
      channels,
    };
  }

  clear(): void {
    this.#pointCount = 0;
    this.#valueCount = 0;
  }
}

function copied<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}
