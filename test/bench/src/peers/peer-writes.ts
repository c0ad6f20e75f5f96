import { randomUUID } from 'node:crypto';
import { type Load, percentile } from '../load.js';
import type { Sample } from '../ratio.js';
import type { WriteOrder } from '../write-load.js';

const instruments = 10;
const siteId = randomUUID();
const written = 204;

/** Sends a peer the points that Weir gets, in its own protocol; every call goes on in time where the one before ended. */
export class PeerWrites {
  readonly #origin: string;
  readonly #path: string;
  readonly #count: () => Promise<number>;
  #first = 0;
  #sent = 0;

  /** @param count the points of the first variable that can be read */
  constructor(origin: string, path: string, count: () => Promise<number>) {
    this.#origin = origin;
    this.#path = path;
    this.#count = count;
  }

  /**
   * Sends, and checks that all of it can be read once the last answer has come.
   *
   * @throws Error when points are missing
   */
  async run(load: Load, how: WriteOrder): Promise<Sample> {
    const { perRequest, variables, bodies, instrumentPrefix = 'logger', ...rest } = how;
    const { requests, elapsedMs, latencies } = await load.run(
      {
        ...rest,
        origin: this.#origin,
        path: this.#path,
        headers: { 'content-type': 'text/plain' },
        points: {
          perRequest,
          variables,
          instruments,
          siteId,
          instrumentPrefix,
          first: this.#first,
          bodies,
          form: 'lines',
        },
      },
      written,
    );
    this.#first += bodies * perRequest;
    this.#sent += requests * perRequest;
    const found = await this.#count();
    if (found !== this.#sent)
      throw new Error(`${this.#origin}: ${this.#sent} points were sent, and ${found} are there`);
    const perSecond = (requests / elapsedMs) * 1000;
    return {
      requestsPerSecond: perSecond,
      sustainedPointsPerSecond: perSecond * perRequest,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
    };
  }
}
