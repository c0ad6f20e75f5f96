import { Channels } from './channels.js';
import { Columns } from './columns.js';
import { packColumns } from './pack-columns.js';

/** The columns of the last batch, for the next: to make them, and to collect them, costs as much as to fill them. */
let spare: Columns | undefined;

/** Collects points one value at a time and packs them, once. */
export class PointsPacker {
  readonly #channels = new Channels();
  readonly #columns: Columns;
  /** site → instrument → variable → channel */
  readonly #instruments = new Map<string | undefined, Map<string, Map<string, number>>>();
  #site: string | undefined;
  #instrument: string | undefined;
  #variables = new Map<string, number>();
  #count = 0;

  constructor() {
    this.#columns = spare ?? new Columns();
    spare = undefined;
  }

  /** Begins a point; its values follow. */
  beginPoint(instantUs: number, siteId: string | undefined, instrumentName: string): void {
    this.#columns.beginPoint(instantUs);
    this.#count++;
    if (instrumentName === this.#instrument && siteId === this.#site) return;
    this.#site = siteId;
    this.#instrument = instrumentName;
    let ofSite = this.#instruments.get(siteId);
    if (ofSite === undefined) this.#instruments.set(siteId, (ofSite = new Map()));
    let variables = ofSite.get(instrumentName);
    if (variables === undefined) ofSite.set(instrumentName, (variables = new Map()));
    this.#variables = variables;
  }

  /** Adds a value to the point begun last, and answers the number of its channel. */
  addValue(variableName: string, value: number): number {
    let channel = this.#variables.get(variableName);
    if (channel === undefined) {
      channel = this.#channels.add(this.#site, this.#instrument ?? '', variableName);
      this.#variables.set(variableName, channel);
    }
    this.#columns.addValue(channel, value);
    return channel;
  }

  /** Number of points so far. */
  get count(): number {
    return this.#count;
  }

  /** The packed form of all that was added; nothing can be added afterwards. */
  pack(): Uint8Array<ArrayBuffer> {
    const body = packColumns(this.#columns.filled(this.#channels));
    this.#columns.clear();
    spare = this.#columns;
    return body;
  }
}
