import { isServing } from '@weir/kit/rpc';
import { observationInstantMinUs } from '@weir/kit/time';
import { RunState } from '@weir/proto/ingestion';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instrumentId, variableIdBytes } from './test-catalog.js';
import { levelsOf, manyPoints, queuedBatch, startUs, type TestPoint } from './test-points.js';
import { type TestBench, testBench } from './test-processor.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const level = () => bench.peers.catalog.key('Logger', 'level');

describe('a processor', () => {
  test('stores points and completes their runs', async () => {
    await using processor = await bench.start();
    const points: TestPoint[] = [
      { atUs: startUs, values: { level: 1.5, battery: 12 } },
      { atUs: startUs + 1, values: { battery: -0 } },
    ];
    const batch = queuedBatch(points, { epoch: 0, publicId: '01920000-0000-7000-8000-00000000b000' });
    await bench.publish([batch]);
    await bench.drained([batch]);
    const { catalog, runs } = bench.peers;
    expect(await bench.stored(level())).toEqual([[startUs, 1.5]]);
    expect(await bench.stored(catalog.key('Logger', 'battery'))).toEqual([
      [startUs, 12],
      [startUs + 1, 0],
    ]);
    expect(await bench.instrumentOf(level())).toBe(instrumentId('Logger'));
    const variableIds = Buffer.concat([variableIdBytes(1), variableIdBytes(2)]);
    const { id, publicId, epoch } = batch;
    expect(runs.outcomes.get(id)).toEqual({ id, publicId, indexes: [], deviations: [], variableIds, epoch });
    expect(runs.attempts.size).toBe(0);
    expect(await isServing(processor.address)).toBe(true);
  });

  test('tells what was not stored, and why', async () => {
    await using _ = await bench.start();
    const batch = queuedBatch([
      { atUs: startUs, values: { level: 1 } },
      { atUs: startUs, instrument: 'site_not_found', values: { level: 1 } },
      { atUs: startUs + 86_400_000_001, values: { level: 1 } },
      { atUs: startUs, values: { variable_not_found: 1, level: 2, integer: 0.5 } },
      { atUs: startUs + 86_400_000_000, values: { quota_exceeded: 1 } },
    ]);
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(await bench.stored(level())).toEqual([[startUs, 2]]);
    const outcome = bench.peers.runs.outcomes.get(batch.id);
    const error = (code: string) => ({ code, message: expect.stringMatching(/^[A-Z].*\.$/) });
    expect(outcome?.deviations).toEqual([
      { index: 0, state: RunState.SUCCEEDED, variables: [{ position: 0, outcome: 'superseded' }] },
      { index: 1, state: RunState.FAILED, error: error('site_not_found'), variables: [] },
      { index: 2, state: RunState.FAILED, error: error('timestamp_out_of_range'), variables: [] },
      {
        index: 3,
        state: RunState.PARTIALLY_SUCCEEDED,
        variables: [
          { position: 0, outcome: 'failed', error: error('variable_not_found') },
          { position: 2, outcome: 'failed', error: error('value_type_mismatch') },
        ],
      },
      {
        index: 4,
        state: RunState.FAILED,
        error: error('quota_exceeded'),
        variables: [{ position: 0, outcome: 'failed', error: error('quota_exceeded') }],
      },
    ]);
    const none = Buffer.alloc(16);
    const key = (name: string) => variableIdBytes(bench.peers.catalog.key('Logger', name));
    expect(outcome?.variableIds).toEqual(Buffer.concat([key('level'), none, none, key('integer'), none]));
  });

  test('asks for no name that only points out of range bring, since that would create it', async () => {
    await using _ = await bench.start();
    const { catalog, runs } = bench.peers;
    const tooLateUs = startUs + 86_400_000_001;
    const mixed = queuedBatch([
      { atUs: tooLateUs, instrument: 'Dead', values: { level: 1 } },
      { atUs: startUs, values: { level: 7 } },
      { atUs: tooLateUs, values: { level: 1, new: 1 } },
      { atUs: observationInstantMinUs - 1, instrument: 'Old', values: { level: 1 } },
    ]);
    const dead = queuedBatch([{ atUs: tooLateUs, instrument: 'Dead', values: { level: 1 } }]);
    await bench.publish([mixed]);
    await bench.publish([dead]);
    await bench.drained([mixed, dead]);
    const asked = catalog.requests.flatMap(({ instruments }) => instruments);
    expect(asked).toMatchObject([{ instrumentName: 'Logger', variableNames: ['level'] }]);
    expect(await bench.stored(level())).toEqual([[startUs, 7]]);
    const failed = (index: number) => ({ index, state: RunState.FAILED, error: { code: 'timestamp_out_of_range' } });
    expect(runs.outcomes.get(mixed.id)?.deviations).toMatchObject([0, 2, 3].map(failed));
    expect(runs.outcomes.get(dead.id)?.deviations).toMatchObject([failed(0)]);
    const [none, id] = [Buffer.alloc(16), variableIdBytes(catalog.key('Logger', 'level'))];
    expect(runs.outcomes.get(mixed.id)?.variableIds).toEqual(Buffer.concat([none, id, none, none]));
  });

  test('judges what is queued again by the time of that', async () => {
    await using _ = await bench.start();
    const nowUs = Date.now() * 1000;
    const points = [{ atUs: nowUs, values: { level: 1 } }];
    const admittedAtUs = nowUs - 2 * 86_400_000_000;
    const first = queuedBatch(points, { admittedAtUs });
    const again = queuedBatch(points, { admittedAtUs, epoch: 1, indexes: [0] });
    await bench.publish([first]);
    await bench.publish([again]);
    await bench.drained([first, again]);
    const { outcomes } = bench.peers.runs;
    expect(outcomes.get(first.id)?.deviations[0]?.error?.code).toBe('timestamp_out_of_range');
    expect(outcomes.get(again.id)).toMatchObject({ deviations: [], indexes: [0], epoch: 1 });
  });

  test('lets the last admitted value stand, whatever it meets first, and takes late data', async () => {
    await using _ = await bench.start();
    const older = queuedBatch(manyPoints(100, startUs, 1000));
    const newer = queuedBatch(manyPoints(100, startUs, 2000));
    const late = queuedBatch(manyPoints(50, startUs - 10_000_000_000, 5));
    await bench.publish([newer]);
    await bench.drained([newer]);
    await bench.publish([older]);
    await bench.publish([late]);
    await bench.drained([older, late]);
    expect(await bench.stored(level())).toEqual([
      ...levelsOf(manyPoints(50, startUs - 10_000_000_000, 5)),
      ...levelsOf(manyPoints(100, startUs, 2000)),
    ]);
    const { outcomes } = bench.peers.runs;
    expect(outcomes.get(older.id)?.deviations).toHaveLength(100);
    expect(outcomes.get(older.id)?.deviations[99]).toEqual({
      index: 99,
      state: RunState.SUCCEEDED,
      variables: [{ position: 0, outcome: 'superseded' }],
    });
    expect(outcomes.get(late.id)?.deviations).toEqual([]);
  });

  test('asks for names it does not know only, and forgets them when the catalog has changed', async () => {
    await using _ = await bench.start();
    const { catalog, runs } = bench.peers;
    let value = 0;
    const process = async (name: string) => {
      const batch = queuedBatch([{ atUs: startUs, values: { level: ++value, [name]: 1 } }]);
      catalog.requests.length = 0;
      await bench.publish([batch]);
      await bench.drained([batch]);
      const asked = catalog.requests.map(({ knownGeneration, instruments }) => [
        knownGeneration,
        instruments.flatMap(({ variableNames }) => variableNames),
      ]);
      return { asked, deviations: runs.outcomes.get(batch.id)?.deviations.map(({ state }) => state) };
    };
    expect(await process('a')).toEqual({ asked: [[0, ['level', 'a']]], deviations: [] });
    expect(await process('a')).toEqual({ asked: [[1, []]], deviations: [] });
    expect(await process('b')).toEqual({ asked: [[1, ['b']]], deviations: [] });
    catalog.generation = 2;
    catalog.archived.add('level');
    expect(await process('b')).toEqual({
      asked: [
        [1, []],
        [0, ['level', 'b']],
      ],
      deviations: [RunState.PARTIALLY_SUCCEEDED],
    });
    expect(await bench.stored(level())).toEqual([[startUs, 3]]);
    // what could not be had is asked again
    expect((await process('b')).asked).toEqual([[2, ['level']]]);
  });

  test('shares work with others, each point once', async () => {
    const batches = Array.from({ length: 40 }, (_, i) =>
      queuedBatch(manyPoints(100, startUs + i * 100_000_000, i * 100)),
    );
    await using first = await bench.start();
    await using second = await bench.start({ ackWaitMs: 2000 });
    await Promise.all(batches.map((batch, i) => bench.publish([batch], i % 2 === 0 ? 'live' : 'bulk')));
    await bench.drained(batches);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(4000, startUs)));
    expect([...bench.peers.runs.outcomes.values()].every(({ deviations }) => deviations.length === 0)).toBe(true);
    expect(first.address).not.toBe(second.address);
  });

  test('gives back what it did not begin when it stops', async () => {
    const batches = Array.from({ length: 30 }, (_, i) =>
      queuedBatch(manyPoints(100, startUs + i * 100_000_000, i * 100)),
    );
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    bench.peers.catalog.onResolve = async () => {
      begun.resolve();
      await go.promise;
    };
    const first = await bench.start({ workers: 1, mergePointsMax: 100 });
    for (const batch of batches) await bench.publish([batch]);
    await begun.promise;
    const stopped = first[Symbol.asyncDispose]();
    go.resolve();
    await stopped;
    // the merge in progress was finished, and acknowledged
    expect(bench.peers.runs.outcomes.size).toBe(1);
    expect((await bench.manager.streams.info(bench.stream)).state.messages).toBe(29);
    await using _ = await bench.start();
    await bench.drained(batches);
    expect(await bench.stored(level())).toEqual(levelsOf(manyPoints(3000, startUs)));
  });
});
