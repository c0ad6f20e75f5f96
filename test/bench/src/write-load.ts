import type { Bench } from './bench.js';
import { costsPerPoint, usageOf } from './costs.js';
import { type Load, type LoadOrder, type LoadResult, percentile } from './load.js';
import type { Sample } from './ratio.js';

/** How points are sent. */
export interface WriteOrder {
  readonly perRequest: number;
  readonly variables: number;
  readonly connections: number;
  readonly durationMs?: number;
  readonly requestsMax?: number;
  readonly perSecond?: number;
  readonly instrumentPrefix?: string;
  /** Calculated values that each point causes. */
  readonly resultsPerPoint?: number;
  /** Bodies made before the clock starts; more than the time takes. */
  readonly bodies: number;
}

const instruments = 10;

/** Lone points after which their cost falls no more; the first of them take twice as much. */
export const loneWarmUp: WriteOrder = { perRequest: 1, variables: 1, connections: 64, bodies: 20_000 };

/** Sends points and judges what became of them; every call goes on in time where the one before ended. */
export class WriteLoad {
  readonly #bench: Bench;
  readonly #load: Load;
  #first = 0;
  #sent = 0;
  #values = 0;
  #trial = 0;

  constructor(bench: Bench, load: Load) {
    this.#bench = bench;
    this.#load = load;
  }

  /** The order for the load generator; its points were never sent before. */
  #order({ perRequest, variables, bodies, instrumentPrefix = 'logger', ...how }: WriteOrder): LoadOrder {
    const { siteId } = this.#bench;
    const points = { perRequest, variables, instruments, siteId, instrumentPrefix, first: this.#first, bodies };
    this.#first += bodies * perRequest;
    return {
      ...how,
      origin: this.#bench.origin,
      path: '/v1/ingest',
      headers: this.#bench.ingestionHeaders,
      points,
      keys: { prefix: `trial-${this.#trial++}`, count: bodies },
    };
  }

  /**
   * Sends, waits until all of it can be read, and checks it.
   *
   * @throws Error when a run did not succeed, or an observation is missing
   */
  async run(how: WriteOrder): Promise<Sample> {
    const before = await usageOf(this.#bench);
    const { requests, elapsedMs, latencies } = await this.accept(how);
    // bodies are made first; the clock is that of the first request
    const acceptedMs = performance.now();
    await this.#bench.drained();
    const sustainedMs = elapsedMs + (performance.now() - acceptedMs);
    const points = requests * how.perRequest;
    const costs = costsPerPoint(before, await usageOf(this.#bench), points);
    await this.check();
    return {
      requestsPerSecond: (requests / elapsedMs) * 1000,
      acceptedPointsPerSecond: (points / elapsedMs) * 1000,
      sustainedPointsPerSecond: (points / sustainedMs) * 1000,
      p50Ms: percentile(latencies, 0.5),
      p99Ms: percentile(latencies, 0.99),
      ...costs,
    };
  }

  /** Sends, and waits for answers alone. */
  async accept(how: WriteOrder): Promise<LoadResult & { readonly keyPrefix: string }> {
    const order = this.#order(how);
    const result = await this.#load.run(order);
    this.#sent += result.requests * how.perRequest;
    this.#values += result.requests * how.perRequest * (how.variables + (how.resultsPerPoint ?? 0));
    return { ...result, keyPrefix: order.keys?.prefix ?? '' };
  }

  /** Sends what was sent under these keys again. */
  async replay(how: WriteOrder, keyPrefix: string, count: number): Promise<LoadResult> {
    const keys = { prefix: keyPrefix, replay: true, count };
    return await this.#load.run({ ...this.#order(how), keys });
  }

  /** Checks what became of all that was sent; all of it must be done. */
  async check(): Promise<void> {
    const { admitted, deviating } = await this.#bench.runs();
    const observations = await this.#bench.observations();
    if (admitted === this.#sent && deviating === 0 && observations === this.#values) return;
    throw new Error(
      `${this.#sent} points with ${this.#values} values were sent; there are ${admitted} runs, ` +
        `${deviating} of them not simply succeeded, and ${observations} observations`,
    );
  }
}
