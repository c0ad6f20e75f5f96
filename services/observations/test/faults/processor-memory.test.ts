import { CompleteRunsRequest } from '@weir/proto/ingestion';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { forkProcessor } from '../fork-processor.js';
import { packPoints, queuedBatch, startUs, type TestPoint } from '../test-points.js';
import { type TestBench, testBench } from '../test-processor.js';

/** What the chart gives a processor: three quarters of the 768 MiB that it may have. */
const heapMb = 576;
/** What one batch, and one of its points, may have. */
const pointsMax = 1000;
const variablesMax = 256;
/** No completion is larger, by far: the greatest message has 64 MiB. */
const completionBytesMax = 16 * 1024 * 1024;

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench(undefined, 256 * 1024 * 1024);
});
afterEach(() => bench[Symbol.asyncDispose]());

/** Points of names that no catalog has and none may be made of: each value fails, by the longest sentence that there is. */
function failingPoints(count: number): TestPoint[] {
  const names = Array.from({ length: variablesMax }, (_, i) => `quota_exceeded/${i}`);
  const values = Object.fromEntries(names.map((name) => [name, 0.5]));
  return Array.from({ length: count }, (_, i) => ({ atUs: startUs + i * 1000, values }));
}

/** Counts the values that are told to have failed, of each run once, and forgets them. */
function countFailures(): { readonly values: () => number; readonly bytesMax: () => number } {
  const ofRun = new Map<string, number>();
  let bytesMax = 0;
  bench.peers.runs.onComplete = (request) => {
    bytesMax = Math.max(bytesMax, CompleteRunsRequest.encode(request).finish().length);
    for (const batch of request.batches) {
      for (const { index, variables } of batch.deviations) ofRun.set(`${batch.id}.${index}`, variables.length);
      batch.deviations = [];
    }
  };
  return { values: () => [...ofRun.values()].reduce((sum, count) => sum + count, 0), bytesMax: () => bytesMax };
}

describe('J13: a processor with the heap that the chart gives it', () => {
  test('is not ended by messages that are merged and each value of which fails', async () => {
    const told = countFailures();
    const go = Promise.withResolvers<void>();
    bench.peers.catalog.onResolve = () => go.promise;
    await using processor = await forkProcessor(bench, heapMb);
    // one for each worker, so that the others wait together
    const first = Array.from({ length: bench.config.workers }, (_, i) =>
      queuedBatch([{ atUs: startUs + i, values: { level: 1 } }]),
    );
    for (const [i, batch] of first.entries()) {
      await bench.publish([batch]);
      await expect.poll(() => bench.peers.catalog.requests.length, { timeout: 10_000 }).toBe(i + 1);
    }
    // as many as ride in a message of NATS, and two merges of such messages by their points
    const count = 320;
    const body = packPoints(failingPoints(count));
    const failing = Array.from({ length: 50 }, () => queuedBatch([], { body }));
    for (const { id } of failing) bench.peers.runs.counts.set(id, count);
    for (const batch of failing) await bench.publish([batch]);
    await bench.taken();
    go.resolve();
    await Promise.race([bench.drained([...first, ...failing]), processor.ended]);
    expect(told.values()).toBe(failing.length * count * variablesMax);
    expect(told.bytesMax()).toBeLessThan(completionBytesMax);
  });

  test('is not ended by the largest batches that there may be, of which each value fails', async () => {
    const told = countFailures();
    const body = packPoints(failingPoints(pointsMax));
    const largest = Array.from({ length: 6 }, () => queuedBatch([], { body: Buffer.alloc(0) }));
    for (const { id } of largest) {
      bench.peers.runs.bodies.set(id, body);
      bench.peers.runs.counts.set(id, pointsMax);
    }
    await using processor = await forkProcessor(bench, heapMb);
    for (const batch of largest) await bench.publish([batch]);
    await Promise.race([bench.drained(largest), processor.ended]);
    expect(told.values()).toBe(largest.length * pointsMax * variablesMax);
    expect(told.bytesMax()).toBeLessThan(completionBytesMax);
  });

  test('is not ended by the longest names that there may be', async () => {
    const told = countFailures();
    // 20 MiB of JSON, each name of which has three times its bytes once it is normalized
    const long = (number: number): string =>
      number.toString(36).padStart(4, '0') + '\u{1d158}\u{1d165}\u{1d16e}'.repeat(84);
    let last = 0;
    const points = Array.from({ length: 220 }, (_, i) => ({
      atUs: startUs + i * 1000,
      values: Object.fromEntries(Array.from({ length: variablesMax }, () => [`quota_exceeded/${long(last++)}`, 0.5])),
    }));
    const body = packPoints(points);
    const longest = Array.from({ length: 2 }, () => queuedBatch([], { body: Buffer.alloc(0) }));
    for (const { id } of longest) {
      bench.peers.runs.bodies.set(id, body);
      bench.peers.runs.counts.set(id, points.length);
    }
    await using processor = await forkProcessor(bench, heapMb);
    for (const batch of longest) await bench.publish([batch]);
    await Promise.race([bench.drained(longest), processor.ended]);
    expect(told.values()).toBe(longest.length * points.length * variablesMax);
  });
});
