import { setTimeout as delay } from 'node:timers/promises';
import { jetstream } from '@nats-io/jetstream';
import { unavailable } from '@weir/kit/errors';
import { connectNats, runsStream } from '@weir/kit/nats';
import { openPool, sql } from '@weir/kit/sql';
import { testServer } from '@weir/kit/testing';
import { RunState } from '@weir/proto/ingestion';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startPeers } from './test-peers.js';
import { levelsOf, manyPoints, packPoints, projectId, queuedBatch, startUs } from './test-points.js';
import { type TestBench, testBench } from './test-processor.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const level = () => bench.peers.catalog.key('Logger', 'level');
const failed = [RunState.FAILED, 'processing_error'];

/** Takes a message as a processor does that then dies. */
async function takeAndDie(): Promise<void> {
  const connection = await connectNats(testServer('NATS_URL'), 'test');
  const names = runsStream(bench.config.natsStreamPrefix);
  const subject = names.subject('live', projectId);
  const consumer = await jetstream(connection).consumers.get(
    names.stream,
    names.shard('live', Number(subject.at(-1))).consumer,
  );
  await consumer.next();
  await connection.close();
}

describe('a processor', () => {
  test('takes over from one that died, whether that had stored the points or not', async () => {
    const batch = queuedBatch(manyPoints(100, startUs));
    let isFirst = true;
    const told = Promise.withResolvers<void>();
    bench.peers.runs.onComplete = () => {
      if (!isFirst) return;
      isFirst = false;
      told.resolve();
      throw new Error('the process dies here');
    };
    {
      await using _ = await bench.start();
      await bench.publish([batch]);
      await told.promise;
      await bench.drained([batch]);
      expect(bench.peers.runs.statesOf(batch.id)).toEqual([]);
      expect(bench.peers.runs.attempts.get(batch.id)).toBe(1);
    }

    const second = queuedBatch(manyPoints(100, startUs + 500_000_000));
    await bench.publish([second]);
    await takeAndDie();
    await using _ = await bench.start();
    await bench.drained([second]);
    expect(bench.peers.runs.attempts.get(second.id)).toBe(1);
    expect(await bench.stored(level())).toEqual([
      ...levelsOf(manyPoints(100, startUs)),
      ...levelsOf(manyPoints(100, startUs + 500_000_000)),
    ]);
  });

  test('takes over a batch of which so much fails that it is told in parts, after the first of them', async () => {
    const { runs } = bench.peers;
    const names = Array.from({ length: 255 }, (_, i) => `variable_not_found/${i}`);
    const failing = Object.fromEntries(names.map((name) => [name, 0]));
    const points = manyPoints(300, startUs).map(({ atUs, values }) => ({ atUs, values: { ...values, ...failing } }));
    const batch = queuedBatch(points);
    runs.counts.set(batch.id, points.length);
    const told: number[][] = [];
    runs.onComplete = ({ batches }) => {
      if (told.push(batches.flatMap(({ indexes }) => indexes)) === 2) throw new Error('the process dies here');
    };
    // on a busy machine so much keeps a process from saying that it works on it
    await using _ = await bench.start({ ackWaitMs: 30_000 });
    await bench.publish([batch]);
    await bench.drained([batch]);
    const all = points.map((_point, index) => index);
    const [first = [], second = []] = told;
    expect(told).toEqual([first, second, first, second]);
    expect([...first, ...second]).toEqual(all);
    expect(runs.outcomes.get(batch.id)?.indexes).toEqual(all);
    expect(bench.peers.runs.statesOf(batch.id)).toEqual(all.map(() => [RunState.PARTIALLY_SUCCEEDED, undefined]));
    expect(runs.attempts.get(batch.id)).toBe(1);
    expect(await bench.stored(level())).toEqual(levelsOf(points));
  });

  test('gives up a batch that fails again and again, and takes no other down with it', async () => {
    bench.peers.catalog.onResolve = ({ instruments }) => {
      if (instruments.some(({ instrumentName }) => instrumentName === 'Poison')) throw new Error('poison');
    };
    await using _ = await bench.start();
    const good = Array.from({ length: 3 }, (_unused, i) =>
      queuedBatch(manyPoints(10, startUs + i * 10_000_000, i * 10)),
    );
    const poison = queuedBatch(
      [1, 2].map((value) => ({ atUs: startUs, instrument: 'Poison', values: { level: value } })),
    );
    const beside = queuedBatch(manyPoints(10, startUs + 30_000_000, 30));
    await bench.publish([good[0], poison, good[1], good[2]] as typeof good);
    await bench.publish([beside]);
    await bench.drained([...good, poison, beside]);
    for (const { id } of [...good, beside]) expect(bench.peers.runs.statesOf(id)).toEqual([]);
    expect(bench.peers.runs.statesOf(poison.id)).toEqual([failed, failed]);
    expect(bench.peers.runs.attempts.get(poison.id)).toBe(bench.config.attemptsMax + 1);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(40, startUs)));
  });

  test('works at one of the most suspected at a time: one that ended it would cost no other an attempt', async () => {
    const tries = new Map<string, number>();
    let inProgress = 0;
    let inProgressMax = 0;
    bench.peers.catalog.onResolve = async ({ instruments }) => {
      const suspects = instruments.map(({ instrumentName }) => instrumentName).filter((name) => name !== 'Logger');
      for (const name of suspects) tries.set(name, (tries.get(name) ?? 0) + 1);
      if (suspects.some((name) => (tries.get(name) ?? 0) < 3)) throw new Error('not yet');
      if (suspects.length === 0) return;
      inProgressMax = Math.max(inProgressMax, ++inProgress);
      // as long as another would need to come in between
      await delay(50);
      inProgress--;
    };
    await using _ = await bench.start();
    const suspects = ['A', 'B', 'C', 'D'].map((instrument) =>
      queuedBatch([{ atUs: startUs, instrument, values: { level: 1 } }]),
    );
    for (const batch of suspects) await bench.publish([batch]);
    await bench.drained(suspects);
    expect([...tries.values()]).toEqual([3, 3, 3, 3]);
    expect(inProgressMax).toBe(1);
  });

  test('works at one batch at a time that no message could carry', async () => {
    const { runs, catalog } = bench.peers;
    const large = Array.from({ length: 4 }, (_unused, i) => ({ batch: queuedBatch([], { body: Buffer.alloc(0) }), i }));
    for (const { batch, i } of large) runs.bodies.set(batch.id, packPoints(manyPoints(5, startUs + i * 5_000_000)));
    let inProgress = 0;
    let inProgressMax = 0;
    catalog.onResolve = async () => {
      inProgressMax = Math.max(inProgressMax, ++inProgress);
      // as long as another would need to come in between
      await delay(50);
      inProgress--;
    };
    await using _ = await bench.start();
    for (const { batch } of large) await bench.publish([batch]);
    await bench.drained(large.map(({ batch }) => batch));
    expect(inProgressMax).toBe(1);
    expect(await bench.stored(level())).toHaveLength(20);
  });

  test('asks for a body that its message does not carry or that cannot be read', async () => {
    const { runs } = bench.peers;
    const points = manyPoints(5, startUs);
    const large = queuedBatch(points, { body: Buffer.alloc(0) });
    const damaged = queuedBatch(points, { body: Buffer.from('nonsense') });
    const lost = queuedBatch(points, { body: Buffer.from('nonsense, and longer than a header') });
    const unknown = queuedBatch(points, { body: Buffer.alloc(0) });
    runs.bodies.set(large.id, packPoints(points));
    runs.bodies.set(damaged.id, packPoints(manyPoints(5, startUs, 50)));
    runs.bodies.set(lost.id, packPoints(points).subarray(0, -1));
    await using _ = await bench.start();
    for (const batch of [large, damaged, lost, unknown]) await bench.publish([batch]);
    await bench.drained([large, damaged, lost]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(5, startUs, 50)));
    expect(bench.peers.runs.statesOf(lost.id)).toEqual([failed, failed, failed, failed, failed]);
    expect(runs.outcomes.has(unknown.id)).toBe(false);
  });

  test('drops a message that is none, and what has nothing left to do', async () => {
    await using _ = await bench.start();
    const done = queuedBatch(manyPoints(1, startUs, 1));
    await bench.publish([done]);
    await bench.drained([done]);
    const batch = queuedBatch(manyPoints(1, startUs, 2));
    await bench.publishBytes(Buffer.from('\xff\xffnot a message', 'latin1'));
    await bench.publish([{ ...done, epoch: 1 }]);
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(bench.peers.runs.completions).toBe(2);
    expect(await bench.stored(level())).toEqual([[startUs, 2]]);
  });

  test('waits for what does not answer, and counts no attempt for it', async () => {
    const { catalog, runs } = bench.peers;
    await using _ = await bench.start();
    let refusals = 0;
    const again = Promise.withResolvers<void>();
    catalog.onResolve = () => {
      if (++refusals === 8) again.resolve();
      throw unavailable('The database does not answer.');
    };
    const batches = Array.from({ length: 20 }, (_unused, i) =>
      queuedBatch(manyPoints(10, startUs + i * 10_000_000, i * 10)),
    );
    for (const batch of batches) await bench.publish([batch]);
    await again.promise;
    expect(runs.outcomes.size).toBe(0);
    catalog.onResolve = () => undefined;
    await bench.drained(batches);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(200, startUs)));
    // those that were in hand come again, and are begun once
    expect(Math.max(0, ...runs.attempts.values())).toBeLessThanOrEqual(1);
  });

  test('waits for a table that somebody has locked, and counts no attempt for it', async () => {
    const { runs } = bench.peers;
    const batch = queuedBatch(manyPoints(10, startUs));
    let begun = 0;
    const often = Promise.withResolvers<void>();
    runs.onBegin = (batchIds) => {
      if (batchIds.includes(batch.id) && ++begun > bench.config.attemptsMax + 1) often.resolve();
    };
    await using _ = await bench.start({ statementTimeoutMs: 200 });
    await using pool = openPool({ url: bench.config.databaseUrl, max: 1 });
    await pool.transaction(async (tx) => {
      // what a plain create index takes
      await tx.query(sql`lock table observations.observations in share mode`);
      await bench.publish([batch]);
      await often.promise;
    });
    await bench.drained([batch]);
    expect(bench.peers.runs.statesOf(batch.id)).toEqual([]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(10, startUs)));
    expect(runs.attempts.get(batch.id)).toBeLessThanOrEqual(1);
  });

  test('tries a retry that comes for the first time, however often other runs of its batch were begun', async () => {
    const batch = queuedBatch(manyPoints(3, startUs), { epoch: 1, indexes: [0, 1, 2] });
    bench.peers.runs.attempts.set(batch.id, bench.config.attemptsMax + 5);
    await using _ = await bench.start();
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(bench.peers.runs.statesOf(batch.id)).toEqual([]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(3, startUs)));
  });

  test('outlives its peers', async () => {
    const { catalog, runs, address } = bench.peers;
    await using _ = await bench.start();
    const before = queuedBatch(manyPoints(10, startUs));
    await bench.publish([before]);
    await bench.drained([before]);
    await bench.peers[Symbol.asyncDispose]();
    const during = queuedBatch(manyPoints(10, startUs + 10_000_000, 10));
    await bench.publish([during]);
    await using _peers = await startPeers(address, catalog, runs);
    await bench.drained([during]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(20, startUs)));
  });

  test('makes stream and consumers again when NATS has lost them', async () => {
    await using _ = await bench.start();
    const before = queuedBatch(manyPoints(10, startUs));
    await bench.publish([before]);
    await bench.drained([before]);
    await bench.manager.streams.delete(bench.stream);
    const after = queuedBatch(manyPoints(10, startUs + 10_000_000, 10));
    for (;;) {
      const isPublished = await bench.publish([after]).then(
        () => true,
        () => false,
      );
      if (isPublished) break;
    }
    await bench.drained([after]);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(20, startUs)));
  });

  test('keeps what it works on, however long that takes', async () => {
    const { catalog, runs } = bench.peers;
    const batch = queuedBatch(manyPoints(10, startUs));
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    catalog.onResolve = async () => {
      begun.resolve();
      await go.promise;
    };
    await using _ = await bench.start({ workers: 1 });
    await bench.publish([batch]);
    await begun.promise;
    await using _other = await bench.start();
    // longer than the other one would wait for an acknowledgement
    await new Promise((resolve) => setTimeout(resolve, bench.config.ackWaitMs * 2));
    expect(catalog.requests).toHaveLength(1);
    go.resolve();
    await bench.drained([batch]);
    expect(runs.completions).toBe(1);
    expect(runs.attempts.size).toBe(0);
  });
});
