import { unavailable } from '@weir/kit/errors';
import { newId } from '@weir/kit/ids';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { manyPoints, queuedBatch, startUs } from './test-points.js';
import { type TestBench, testBench } from './test-processor.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const after = (seconds: number) => startUs + seconds * 1_000_000;
const named = (...given: Parameters<typeof queuedBatch>) => queuedBatch(given[0], { publicId: newId(), ...given[1] });

describe('what a batch is stored under', () => {
  test('is forgotten once it was told, though nothing is stored next, or that fails', async () => {
    const { catalog } = bench.peers;
    await using _ = await bench.start();
    const first = named(manyPoints(1, startUs));
    await bench.publish([first]);
    await bench.drained([first]);
    const failing = named(manyPoints(1, startUs, 0, 'variable_not_found'));
    await bench.publish([failing]);
    await bench.drained([failing]);

    // the names are remembered, and found to be wrong only when the rows are written
    catalog.generation++;
    const second = named(manyPoints(1, after(1)));
    let isFirst = true;
    catalog.onResolve = () => {
      if (!isFirst) return;
      isFirst = false;
      throw unavailable('The database does not answer.');
    };
    await bench.publish([second]);
    await bench.drained([second]);
    expect(await bench.storedBatches()).toEqual([[second.publicId]]);
  });
});
