import { newId } from '@weir/kit/ids';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startPeers } from './test-peers.js';
import { levelsOf, manyPoints, packPoints, queuedBatch, startUs, type TestPoint } from './test-points.js';
import { type TestBench, testBench } from './test-processor.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const level = () => bench.peers.catalog.key('Logger', 'level');
/** Just old enough to be asked for. */
const oldUs = Date.now() * 1000 - 5_000_000;
/** Young, however slow the machine is. */
const youngUs = Date.now() * 1000 + 600_000_000;

/** A batch that the database is restored to a time before; whatever has its number now is another one. */
function staleBatch(points: readonly TestPoint[]) {
  const batch = queuedBatch(points, { publicId: newId(), admittedAtUs: oldUs });
  bench.peers.runs.unknown.add(batch.publicId);
  return batch;
}

describe('after a restore, a processor', () => {
  test('stores nothing of a batch that is not there any more, though another one has its number', async () => {
    const { runs } = bench.peers;
    const stale = staleBatch(manyPoints(10, startUs, 1000));
    const [earlier, later] = [0, 1].map((at) =>
      queuedBatch(manyPoints(10, startUs + at * 10_000_000, at * 10), {
        publicId: newId(),
        admittedAtUs: at === 0 ? oldUs : youngUs,
      }),
    ) as [typeof stale, typeof stale];
    const again = { ...later, id: stale.id };
    await using _ = await bench.start();
    await bench.publish([stale, earlier]);
    await bench.publish([again]);
    await bench.drained([earlier, again]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(20, startUs)));
    expect(runs.outcomes.get(again.id)?.publicId).toBe(again.publicId);
    expect(runs.outcomes.get(earlier.id)?.publicId).toBe(earlier.publicId);
  });

  test('makes no names of a batch that is not there any more', async () => {
    const stale = staleBatch([{ atUs: startUs, instrument: 'Ghost', values: { level: 1 } }]);
    const kept = queuedBatch(manyPoints(1, startUs));
    await using _ = await bench.start();
    await bench.publish([stale]);
    await bench.publish([kept]);
    await bench.drained([kept]);
    const asked = bench.peers.catalog.requests.flatMap(({ instruments }) => instruments);
    expect(asked.map(({ instrumentName }) => instrumentName)).toEqual(['Logger']);
  });

  test('says which batch it means whatever it asks', async () => {
    const { runs, catalog } = bench.peers;
    const points = manyPoints(1, startUs);
    const large = queuedBatch(points, { publicId: newId(), body: Buffer.alloc(0), admittedAtUs: youngUs });
    const suspect = queuedBatch(points, { publicId: newId(), epoch: 1 });
    const poison = queuedBatch([{ atUs: startUs, instrument: 'Poison', values: { level: 1 } }], { publicId: newId() });
    runs.bodies.set(large.id, packPoints(points));
    catalog.onResolve = ({ instruments }) => {
      if (instruments.some(({ instrumentName }) => instrumentName === 'Poison')) throw new Error('poison');
    };
    await using _ = await bench.start();
    for (const batch of [large, suspect, poison]) await bench.publish([batch]);
    await bench.drained([large, suspect, poison]);
    expect(runs.named.get('getBatchBody')).toEqual(new Set([large.publicId]));
    expect(runs.named.get('beginAttempts')).toEqual(new Set([suspect.publicId, poison.publicId]));
    expect([large, suspect, poison].map(({ id }) => runs.outcomes.get(id)?.publicId)).toEqual(
      [large, suspect, poison].map(({ publicId }) => publicId),
    );
  });
});

describe('a processor', () => {
  test('asks for nothing where points come as they are admitted', async () => {
    await using _ = await bench.start();
    const batches = [0, 1, 2].map((at) =>
      queuedBatch(manyPoints(10, startUs + at * 10_000_000, at * 10), { admittedAtUs: youngUs }),
    );
    for (const batch of batches) await bench.publish([batch]);
    await bench.drained(batches);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(30, startUs)));
    expect(bench.peers.runs.asked).toEqual([]);
  });

  test('asks once for all that it processes together, and leaves what is done', async () => {
    const { runs } = bench.peers;
    const done = queuedBatch(manyPoints(10, startUs, 1000), { publicId: newId() });
    await runs.complete({
      batches: [
        { id: done.id, publicId: done.publicId, indexes: [], variableIds: Buffer.alloc(0), deviations: [], epoch: 0 },
      ],
    });
    const old = [0, 1, 2].map((at) =>
      queuedBatch(manyPoints(10, startUs + at * 10_000_000, at * 10), { publicId: newId() }),
    );
    const young = queuedBatch(manyPoints(10, startUs + 30_000_000, 30), { admittedAtUs: youngUs });
    await using _ = await bench.start();
    await bench.publish([done, ...old, young]);
    await bench.drained([...old, young]);
    expect(runs.asked).toEqual([[done, ...old].map(({ id }) => id)]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(40, startUs)));
    expect(runs.completions).toBe(2);
  });

  test('processes messages of the release before, which name batches by their number alone', async () => {
    const { runs } = bench.peers;
    const batches = [0, 1].map((at) => queuedBatch(manyPoints(10, startUs + at * 10_000_000, at * 10), { epoch: at }));
    await using _ = await bench.start();
    for (const batch of batches) await bench.publish([batch]);
    await bench.drained(batches);
    expect(batches.map(({ id }) => runs.outcomes.get(id)?.publicId)).toEqual(['', '']);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(20, startUs)));
  });

  test('asks nothing of an ingestion service of the release before', async () => {
    const { catalog, runs, calculations } = bench.peers;
    const { findQueued: _unknown, ...methods } = IngestionServiceDefinition.methods;
    const before = { ...IngestionServiceDefinition, methods } as typeof IngestionServiceDefinition;
    await using peers = await startPeers('127.0.0.1:0', catalog, runs, calculations, before);
    const batch = queuedBatch(manyPoints(10, startUs), { publicId: newId() });
    await using _ = await bench.start({ ingestionAddress: peers.address });
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(runs.asked).toEqual([]);
    expect(runs.attempts.size).toBe(0);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(10, startUs)));
  });
});
