import { percentile } from './load.js';
import type { Sample } from './ratio.js';

const queriesMin = 5;
const durationMs = 1500;

/** Runs a query one after the other for a while. */
export async function timeQueries(query: (number: number) => Promise<unknown>): Promise<Sample> {
  const latencies: number[] = [];
  const startedMs = performance.now();
  while (latencies.length < queriesMin || performance.now() - startedMs < durationMs) {
    const beganMs = performance.now();
    await query(latencies.length);
    latencies.push(performance.now() - beganMs);
  }
  return {
    queriesPerSecond: (latencies.length / (performance.now() - startedMs)) * 1000,
    p50Ms: percentile(latencies, 0.5),
  };
}
