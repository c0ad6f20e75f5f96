import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { calculationChange, runId } from './test-calculations.js';
import { manyPoints, queuedBatch, startUs, type TestPoint } from './test-points.js';
import { type Observation, type TestBench, testBench } from './test-processor.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const [doubled, risen] = [900, 901] as const;
/** Twice the level, and by how much that rises from one to the next: to be computed for a run from the beginning. */
function chain(run: number) {
  const level = bench.peers.catalog.key('Logger', 'level');
  const given = { runId: runId(run), runChanges: 2, ranges: [{ startUs: 0, endUs: 4 * startUs }] };
  return [
    calculationChange({ variableKey: doubled, inputs: { level }, expression: '2 * level' }, given),
    calculationChange({ variableKey: risen, inputs: { doubled }, expression: 'doubled - previous(doubled)' }, given),
  ];
}

/** What the chain comes to for points in whatever order, the last of each instant standing. */
function expected(points: readonly TestPoint[]): { doubled: Observation[]; risen: Observation[] } {
  const levels = [...new Map(points.map(({ atUs, values }) => [atUs, 2 * (values['level'] as number)]))];
  levels.sort(([a], [b]) => a - b);
  const rises = levels.map(([atUs, value], i): Observation => [atUs, value - (levels[i - 1]?.[1] as number)]);
  return { doubled: levels, risen: rises.slice(1) };
}

const stored = async () => ({ doubled: await bench.stored(doubled), risen: await bench.stored(risen) });

describe('a processor with calculated variables', () => {
  test('computes what points change as soon as they are stored', async () => {
    await using _ = await bench.start();
    const { calculations } = bench.peers;
    calculations.changes = chain(1);
    await calculations.until(() => calculations.reported(runId(1))?.state === 'succeeded');
    const points: TestPoint[] = [];
    const send = async (more: readonly TestPoint[], given: { epoch?: number } = {}): Promise<void> => {
      const batch = queuedBatch(more, given);
      await bench.publish([batch]);
      await bench.drained([batch]);
      points.push(...more);
      await expect.poll(stored, { timeout: 20_000 }).toEqual(expected(points));
    };
    await send(manyPoints(100, startUs));
    // late, before all others and between them
    await send([{ atUs: startUs - 60_000_000, values: { level: 3 } }]);
    await send(manyPoints(50, startUs + 500_000, 7));
    // corrected, and the same again as what comes twice
    await send([{ atUs: startUs + 3_000_000, values: { level: 77 } }]);
    await send([{ atUs: startUs + 3_000_000, values: { level: 77 } }], { epoch: 1 });
  });

  test('computes for a run what was there before, and tells how much', async () => {
    const points = manyPoints(300, startUs);
    const batch = queuedBatch(points);
    await bench.publish([batch]);
    await using _ = await bench.start();
    await bench.drained([batch]);
    const { calculations } = bench.peers;
    calculations.changes = chain(2);
    await calculations.until(() => calculations.reported(runId(2))?.state === 'succeeded');
    expect(await stored()).toEqual(expected(points));
    expect(calculations.reported(runId(2))?.progress).toEqual({
      rangesTotal: 2,
      rangesDone: 2,
      rangesSkipped: 0,
      instantsTotal: 600,
      instantsDone: 600,
      // the first has nothing before it
      missing: { missing_input: 1 },
    });
  });
});
